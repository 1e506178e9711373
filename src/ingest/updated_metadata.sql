-- Documents of the same text but other metadata: their chunks are written, the text is not looked at.
UPDATE {schema}.chunk u
SET source_type = d.source_type, metadata = {metadata}
FROM new_document n
JOIN old_document o ON o.id = n.id
JOIN {schema}.document d ON d.id = n.id
WHERE u.document_id = d.id
    AND (o.language, o.source_type, o.metadata) IS DISTINCT FROM (n.language, n.source_type, n.metadata)
    AND (u.source_type, u.metadata) IS DISTINCT FROM (d.source_type, {metadata})
