SELECT id, content FROM {schema}.document WHERE id = ANY ($1)
