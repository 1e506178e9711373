SELECT DISTINCT c.document_id
FROM {chunks} c
WHERE c.document_id = ANY ($1) AND NOT EXISTS (SELECT FROM {schema}.{table} e WHERE e.chunk_id = c.id)
