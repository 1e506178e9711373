SELECT count(*) FROM {schema}.document WHERE source_id = $1
