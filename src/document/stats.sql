-- Chunks are counted by their document, which an index holds: the rows of chunk are wide. Those of hidden documents are not
-- joined.
SELECT {source_type}, count(*), coalesce(sum(c.chunks), 0)::bigint, count(*) FILTER (WHERE d.status = 'failed')
FROM {schema}.document d
LEFT JOIN (SELECT document_id, count(*) AS chunks FROM {schema}.chunk GROUP BY document_id) c ON c.document_id = d.id
GROUP BY 1
