-- Without parentheses it is not a function that the search_path may replace.
SELECT CURRENT_SCHEMA::text
