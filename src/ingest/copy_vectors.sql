-- Chunks that stay keep their vectors: the model is the same.
INSERT INTO {schema}.{table} (chunk_id, embedding)
SELECT e.chunk_id, e.embedding
FROM {schema}.embedding e
JOIN {schema}.chunk c ON c.id = e.chunk_id
WHERE c.document_id = ANY ($1)
    AND (EXISTS (SELECT FROM {schema}.{chunks} n WHERE n.id = c.id) OR NOT EXISTS (SELECT FROM {schema}.{chunks} n WHERE n.document_id = c.document_id))
ON CONFLICT (chunk_id) DO NOTHING
