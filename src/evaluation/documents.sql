SELECT id FROM {schema}.document WHERE id = ANY ($1)
