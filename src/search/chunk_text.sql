SELECT id, coalesce(content, '') AS content, coalesce(metadata, '{}') AS metadata FROM {schema}.chunk WHERE id = ANY ($1)
