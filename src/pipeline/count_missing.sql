SELECT c.document_id, count(*)
FROM {chunks} c
WHERE c.document_id = ANY ($1) AND NOT EXISTS (SELECT FROM {schema}.{table} e WHERE e.chunk_id = c.id)
GROUP BY c.document_id
