SELECT c.document_id, c.id, c.content_hash, e.embedding::{vector}.vector
FROM {schema}.chunk c
LEFT JOIN {schema}.embedding e ON e.chunk_id = c.id
WHERE c.document_id = ANY ($1)
ORDER BY c.document_id, c.ordinal, c.id
