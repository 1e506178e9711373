-- A chunk that another session is deleting, or whose document another session is writing, is not sent: its vector could
-- not be written.
SELECT c.id, c.document_id, d.title, c.heading, {context}, c.content
FROM {schema}.chunk c
JOIN {schema}.document d ON d.id = c.document_id
WHERE c.document_id = ANY ($1) AND c.id <> ALL ($2)
    AND NOT EXISTS (SELECT FROM {schema}.{table} e WHERE e.chunk_id = c.id)
LIMIT $3
FOR KEY SHARE OF c SKIP LOCKED
FOR NO KEY UPDATE OF d SKIP LOCKED
