-- A dictionary that only filters, such as unaccent, gives no lexemes of its own.
SELECT DISTINCT ON (asked.text, lexeme) asked.text, lexeme, debug.dictionary::text
FROM unnest($2) AS asked (text)
CROSS JOIN LATERAL ts_debug($1::regconfig, asked.text) AS debug
CROSS JOIN LATERAL unnest(debug.lexemes) AS lexeme
ORDER BY asked.text, lexeme, debug.dictionary::text
