SELECT id FROM {schema}.document WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
