SELECT d.id, d.title, d.content, d.mime_type, d.source_key, d.source_type, d.imported, d.status, {chunker_version}
FROM {schema}.document d
WHERE d.id = ANY ($1)
