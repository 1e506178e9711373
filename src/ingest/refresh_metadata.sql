UPDATE {schema}.chunk u
SET source_type = d.source_type, metadata = {metadata}
FROM {schema}.document d
WHERE u.document_id = d.id AND d.id = ANY ($1)
    AND (u.source_type, u.metadata) IS DISTINCT FROM (d.source_type, {metadata})
