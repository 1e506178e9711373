SELECT d.id, pg_catalog.octet_length(d.content)
FROM new_document n
JOIN {schema}.document d ON d.id = n.id
LEFT JOIN old_document o ON o.id = n.id
WHERE o.id IS NULL
    OR (o.title, o.mime_type, o.language, o.source_type, o.source_key, o.metadata, o.content)
        IS DISTINCT FROM (n.title, n.mime_type, n.language, n.source_type, n.source_key, n.metadata, n.content)
