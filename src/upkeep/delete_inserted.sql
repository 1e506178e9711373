DELETE FROM {schema}.chunk WHERE id = ANY ($1)
