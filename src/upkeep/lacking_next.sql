-- The documents that lack a vector of the pending model, or are to be cut again for it, and whether the present model has vectors for
-- what they lack. A chunk without a document does not count: kb_reconcile removes it.
WITH changed AS MATERIALIZED (
    SELECT n.document_id, bool_or(n.is_stale) AS is_stale,
        bool_or(NOT EXISTS (SELECT FROM {schema}.{table} v WHERE v.chunk_id = n.id)) AS lacks
    FROM {schema}.{chunks} n
    GROUP BY n.document_id
)
SELECT c.document_id, bool_or(e.chunk_id IS NOT NULL)
FROM {schema}.chunk c
JOIN {schema}.document d ON d.id = c.document_id
LEFT JOIN {schema}.embedding e ON e.chunk_id = c.id
LEFT JOIN changed x ON x.document_id = c.document_id
WHERE CASE WHEN x.document_id IS NULL THEN NOT EXISTS (SELECT FROM {schema}.{table} v WHERE v.chunk_id = c.id)
    ELSE x.is_stale OR x.lacks END
GROUP BY c.document_id
