SELECT e.chunk_id FROM {schema}.embedding e WHERE e.chunk_id = ANY ($1)
