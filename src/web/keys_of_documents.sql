SELECT id, source_key FROM {schema}.document WHERE source_id = $1 AND id = ANY ($2) AND source_key IS NOT NULL
