-- Chunks of the documents $1 that have no vector, which the caller may see.
SELECT count(*)
FROM {schema}.chunk c
WHERE c.document_id = ANY ($1) AND EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id)
    AND NOT EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id)
