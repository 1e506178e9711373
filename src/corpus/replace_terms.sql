WITH gone AS (
    DELETE FROM {schema}.term t WHERE t.lexeme <> ALL ($1)
)
INSERT INTO {schema}.term (lexeme, chunks, of_chunks, of_changes)
SELECT l.lexeme, l.chunks, $3, $4 FROM unnest($1, $2) AS l (lexeme, chunks)
ON CONFLICT (lexeme) DO UPDATE
SET chunks = excluded.chunks, of_chunks = excluded.of_chunks, of_changes = excluded.of_changes
