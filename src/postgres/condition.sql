-- Whether a condition holds for the values of its columns.
SELECT ({condition}
) FROM (SELECT {columns}) AS row_of_table
