SELECT count(*) FROM {schema}.chunk c WHERE NOT EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id)
