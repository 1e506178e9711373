SELECT EXISTS (SELECT FROM {schema}.document WHERE source_id = $1)
