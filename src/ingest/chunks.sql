SELECT c.document_id, c.id, c.content_hash, e.chunk_id IS NOT NULL, c.ordinal, c.start_char, c.end_char, coalesce(c.page, 0), c.heading, {context}
FROM {schema}.chunk c
LEFT JOIN {schema}.embedding e ON e.chunk_id = c.id
WHERE c.document_id = ANY ($1)
ORDER BY c.document_id, c.ordinal
