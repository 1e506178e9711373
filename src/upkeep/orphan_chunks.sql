DELETE FROM {schema}.chunk
WHERE id = ANY (ARRAY(
    SELECT id FROM {schema}.chunk c
    WHERE NOT EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id)
    FOR UPDATE OF c SKIP LOCKED
))
