-- Usually there is none.
SELECT EXISTS (
    SELECT FROM {schema}.chunk c
    WHERE NOT EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id AND e.embedding IS NOT NULL)
)
