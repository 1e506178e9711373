SELECT id FROM {schema}.document WHERE source_id IS NULL AND source_type = $1 AND source_key = $2
