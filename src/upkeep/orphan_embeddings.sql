DELETE FROM {schema}.embedding e WHERE NOT EXISTS (SELECT FROM {schema}.chunk c WHERE c.id = e.chunk_id)
