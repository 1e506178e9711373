SELECT id, left(coalesce(content, ''), 200) FROM {schema}.chunk WHERE id = ANY ($1)
