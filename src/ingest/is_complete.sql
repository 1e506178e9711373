NOT EXISTS (
        SELECT FROM {schema}.chunk c
        WHERE c.document_id = d.id AND NOT EXISTS (SELECT FROM {schema}.{table} e WHERE e.chunk_id = c.id)
    )
