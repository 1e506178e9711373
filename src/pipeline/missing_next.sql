-- A document that another session is writing is left out: its vectors could not be written.
SELECT c.id, c.document_id, d.title, c.heading, c.context, c.content
FROM {chunks} c
JOIN {schema}.document d ON d.id = c.document_id
WHERE c.document_id = ANY ($1) AND c.id <> ALL ($2)
    AND NOT EXISTS (SELECT FROM {schema}.{table} e WHERE e.chunk_id = c.id)
LIMIT $3
FOR NO KEY UPDATE OF d SKIP LOCKED
