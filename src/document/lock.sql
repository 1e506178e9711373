SELECT id FROM {schema}.document WHERE id = $1 FOR NO KEY UPDATE
