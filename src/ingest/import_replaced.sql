DELETE FROM {schema}.document WHERE source_id IS NULL AND source_type = 'import' AND source_key = ANY ($1)
