DELETE FROM {schema}.document WHERE source_id = $1
