SELECT c.id, c.document_id, d.source_key
FROM {schema}.chunk c
JOIN {schema}.document d ON d.id = c.document_id
WHERE c.id = ANY ($1)
