DELETE FROM {schema}.document WHERE source_id = $1 AND id = ANY ($2)
