SELECT id, content, metadata FROM {schema}.chunk WHERE id = ANY ($1)
