SELECT source_key, id FROM {schema}.document WHERE source_key = ANY ($1)
