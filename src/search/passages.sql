SELECT c.id, c.document_id, d.title, d.source_key, c.content, c.metadata
FROM {schema}.chunk c
JOIN {schema}.document d ON d.id = c.document_id
WHERE c.id = ANY ($1)
