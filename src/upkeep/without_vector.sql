NOT EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id)
