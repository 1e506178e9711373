-- The documents are locked. An id stands for one text for ever, also where the document is to be cut again, unless its row says otherwise.
INSERT INTO {schema}.{table} (chunk_id, embedding)
SELECT u.chunk_id, u.embedding
FROM unnest($1, $2) AS u (chunk_id, embedding)
LEFT JOIN {schema}.{next} n ON n.id = u.chunk_id
WHERE CASE WHEN n.id IS NULL THEN EXISTS (SELECT FROM {schema}.chunk c WHERE c.id = u.chunk_id)
    ELSE n.content_hash IS NOT NULL END
ON CONFLICT (chunk_id) DO NOTHING
RETURNING chunk_id
