-- Usually no chunk of the base lacks a vector, which takes less time to find out.
SELECT EXISTS (
    SELECT FROM {schema}.chunk c
    WHERE NOT EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id AND e.embedding IS NOT NULL)
) AND EXISTS (
    SELECT FROM {schema}.chunk c
    WHERE {lexemes} @@ $1::tsquery AND {conditions}
        AND NOT EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id AND e.embedding IS NOT NULL)
)
