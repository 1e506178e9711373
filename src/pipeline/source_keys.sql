SELECT id, source_key FROM {schema}.document WHERE id = ANY ($1)
