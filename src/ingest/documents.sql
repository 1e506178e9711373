SELECT d.id, d.title, d.content, d.mime_type, d.source_key, d.source_type, d.imported, d.status, {chunker_version},
    -- Not EXISTS, which PostgreSQL may answer by reading all chunks once.
    (SELECT c.id FROM {schema}.chunk c WHERE c.document_id = d.id LIMIT 1) IS NOT NULL
FROM {schema}.document d
WHERE d.id = ANY ($1)
