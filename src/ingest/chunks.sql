-- Only chunks that have their vector: one without is made anew.
SELECT c.document_id, c.id, CASE WHEN e.chunk_id IS NULL THEN ''::bytea ELSE c.content_hash END
FROM {schema}.chunk c
LEFT JOIN {schema}.embedding e ON e.chunk_id = c.id
WHERE c.document_id = ANY ($1)
ORDER BY c.document_id, c.ordinal
