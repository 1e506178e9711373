SELECT source_id FROM {schema}.document WHERE id = $1 AND imported AND source_id IS NOT NULL
