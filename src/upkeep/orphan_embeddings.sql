DELETE FROM {schema}.embedding
WHERE chunk_id = ANY (ARRAY(
    SELECT chunk_id FROM {schema}.embedding e
    WHERE NOT EXISTS (SELECT FROM {schema}.chunk c WHERE c.id = e.chunk_id)
    FOR UPDATE OF e SKIP LOCKED
))
