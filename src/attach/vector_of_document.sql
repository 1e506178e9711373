-- The vector that was taken for a document, which has one chunk.
LEFT JOIN LATERAL (
    SELECT e.embedding AS vector
    FROM {schema}.chunk c
    JOIN {schema}.embedding e ON e.chunk_id = c.id
    WHERE c.document_id = d.id
    LIMIT 1
) v ON d.imported
