SELECT EXISTS (
    SELECT FROM {schema}.chunk c
    WHERE {matching} AND {conditions}
        AND NOT EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id AND e.embedding IS NOT NULL)
)
