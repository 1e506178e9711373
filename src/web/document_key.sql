SELECT source_key FROM {schema}.document WHERE id = $1 AND source_key IS NOT NULL
