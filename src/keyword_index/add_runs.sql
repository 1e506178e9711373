INSERT INTO {schema}.keyword_run (segment, lexeme, ordinal, data)
SELECT $1, r.lexeme, r.ordinal, r.data FROM unnest($2, $3, $4) AS r (lexeme, ordinal, data)
