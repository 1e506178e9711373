DELETE FROM {schema}.document WHERE id = $1
