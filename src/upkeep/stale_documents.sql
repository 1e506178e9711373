SELECT id FROM {schema}.document
WHERE status <> 'indexed' OR content_hash IS DISTINCT FROM sha256(convert_to(content, 'UTF8'))
