SELECT source_id FROM {schema}.document WHERE id = $1
