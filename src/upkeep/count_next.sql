-- How many chunks there are, less those that lack a vector of the pending model: of documents that it cuts differently, its own chunks. How
-- many of the failed documents $1 would lose vectors.
SELECT greatest(0, (SELECT count(*) FROM {schema}.chunk) - (
        SELECT count(*)
        FROM {schema}.chunk c
        WHERE NOT EXISTS (SELECT FROM {schema}.{table} v WHERE v.chunk_id = c.id)
            AND NOT EXISTS (SELECT FROM {schema}.{chunks} n WHERE n.document_id = c.document_id)
    ) - (
        SELECT count(*)
        FROM {schema}.{chunks} n
        WHERE n.is_stale OR NOT EXISTS (SELECT FROM {schema}.{table} v WHERE v.chunk_id = n.id)
    )),
    (
        SELECT count(DISTINCT c.document_id)
        FROM {schema}.chunk c
        WHERE c.document_id = ANY ($1)
            AND EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id)
            AND CASE WHEN EXISTS (SELECT FROM {schema}.{chunks} n WHERE n.document_id = c.document_id)
                THEN EXISTS (
                    SELECT FROM {schema}.{chunks} n
                    WHERE n.document_id = c.document_id
                        AND (n.is_stale OR NOT EXISTS (SELECT FROM {schema}.{table} v WHERE v.chunk_id = n.id))
                )
                ELSE NOT EXISTS (SELECT FROM {schema}.{table} v WHERE v.chunk_id = c.id) END
    )
