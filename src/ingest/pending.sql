SELECT id FROM {schema}.document WHERE status = $1
