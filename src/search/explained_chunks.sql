-- A chunk, or the chunks of a document.
SELECT c.id, c.document_id, d.title, d.source_key, c.ordinal, EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id)
FROM {schema}.chunk c
JOIN {schema}.document d ON d.id = c.document_id
WHERE c.id = $1 OR c.document_id = $1
ORDER BY c.ordinal
LIMIT 50
