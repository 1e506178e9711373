SELECT id FROM {schema}.document WHERE id = $1
