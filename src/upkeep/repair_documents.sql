UPDATE {schema}.document
SET status = 'indexed', content_hash = sha256(convert_to(content, 'UTF8')), error_message = NULL, indexed_at = now()
WHERE id = ANY ($1)
    AND (status <> 'indexed' OR content_hash IS DISTINCT FROM sha256(convert_to(content, 'UTF8')))
