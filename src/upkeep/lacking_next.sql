-- The documents that lack a vector of the pending model, and whether a chunk would lose the one it has. A chunk without a
-- document does not count: kb_reconcile removes it.
SELECT c.document_id, bool_or(e.chunk_id IS NOT NULL)
FROM {schema}.chunk c
JOIN {schema}.document d ON d.id = c.document_id
LEFT JOIN {schema}.embedding e ON e.chunk_id = c.id
WHERE NOT EXISTS (SELECT FROM {schema}.{table} n WHERE n.chunk_id = c.id)
GROUP BY c.document_id
