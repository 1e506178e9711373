DELETE FROM {schema}.keyword_segment WHERE id = ANY ($1)
