SELECT coalesce(content, '') FROM {schema}.document WHERE id = $1
