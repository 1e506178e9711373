SELECT id, title, content, mime_type, source_key, source_type, imported, status FROM {schema}.document WHERE id = ANY ($1)
