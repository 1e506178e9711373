INSERT INTO {schema}.{table} (chunk_id, embedding)
SELECT u.chunk_id, u.embedding
FROM unnest($1, $2) AS u (chunk_id, embedding)
JOIN (SELECT id FROM {schema}.chunk WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE SKIP LOCKED) c ON c.id = u.chunk_id
ON CONFLICT (chunk_id) DO NOTHING
RETURNING chunk_id
