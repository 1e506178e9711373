SELECT l.lexeme, t.chunks, t.of_chunks, CASE WHEN t.lexeme IS NULL THEN (
        SELECT count(*) FROM {schema}.chunk c
        WHERE {keyword_keys} @@ ('''' || replace(replace(l.lexeme, chr(92), chr(92) || chr(92)), chr(39), chr(39) || chr(39)) || '''')::tsquery
    ) END
FROM unnest($1) AS l (lexeme)
LEFT JOIN {schema}.term t ON t.lexeme = l.lexeme COLLATE "C" AND $2::float8 - t.of_changes <= $3 * t.of_chunks
