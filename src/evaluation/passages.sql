-- At most $1 chunks, of as many documents as there are. The same texts come in the same order, whenever they were added.
SELECT c.document_id, d.source_key, d.title, c.heading, c.content
FROM (
    SELECT id, row_number() OVER (PARTITION BY document_id ORDER BY content_hash) AS turn
    FROM {schema}.chunk
) t
JOIN {schema}.chunk c ON c.id = t.id
JOIN {schema}.document d ON d.id = c.document_id
ORDER BY t.turn, c.content_hash, c.document_id
LIMIT $1
