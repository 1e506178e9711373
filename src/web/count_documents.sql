SELECT d.source_id, count(DISTINCT d.id), count(c.id)
FROM {schema}.document d
LEFT JOIN {schema}.chunk c ON c.document_id = d.id
WHERE d.source_id = ANY ($1)
GROUP BY d.source_id
