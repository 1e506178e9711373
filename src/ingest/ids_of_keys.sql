SELECT source_key, id FROM {schema}.document WHERE source_id = $1 AND source_type = $2 AND source_key = ANY ($3::text[])
