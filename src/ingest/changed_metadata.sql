SELECT n.id
FROM new_document n
JOIN old_document o ON o.id = n.id
WHERE (o.language, o.source_type, o.metadata) IS DISTINCT FROM (n.language, n.source_type, n.metadata)
    AND EXISTS (SELECT FROM {schema}.{chunks} c WHERE c.document_id = n.id)
