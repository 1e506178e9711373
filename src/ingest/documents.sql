SELECT id, title, content, mime_type, source_key, imported FROM {schema}.document WHERE id = ANY ($1)
