-- A worker may have embedded a chunk that this statement found without a vector: its vector is as good as this one.
INSERT INTO {schema}.{table} (chunk_id, embedding)
SELECT u.chunk_id, u.embedding FROM unnest($1, $2) AS u (chunk_id, embedding)
ORDER BY u.chunk_id
ON CONFLICT (chunk_id) DO NOTHING
