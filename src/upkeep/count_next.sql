-- How many vectors the pending model has, and how many of the failed documents $1 have chunks that would lose a vector.
SELECT count(*), (
    SELECT count(DISTINCT c.document_id)
    FROM {schema}.chunk c
    WHERE c.document_id = ANY ($1)
        AND EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id)
        AND NOT EXISTS (SELECT FROM {schema}.{table} n WHERE n.chunk_id = c.id)
)
FROM {schema}.{table}
