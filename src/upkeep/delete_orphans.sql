-- Vectors of chunks that are not there when the change is over.
DELETE FROM {schema}.{table} v
WHERE NOT EXISTS (SELECT FROM {schema}.{chunks} n WHERE n.id = v.chunk_id)
    AND NOT EXISTS (
        SELECT FROM {schema}.chunk c
        WHERE c.id = v.chunk_id AND NOT EXISTS (SELECT FROM {schema}.{chunks} n WHERE n.document_id = c.document_id)
    )
