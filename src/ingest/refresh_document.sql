UPDATE {schema}.document
SET status = 'indexed', error_message = NULL, imported = false, content_hash = sha256(convert_to(content, 'UTF8')), indexed_at = now()
WHERE id = $1
