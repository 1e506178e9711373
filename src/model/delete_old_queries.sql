-- Rows that another session is deleting are left to it.
DELETE FROM kb_rag.query_cache q
WHERE (q.model, q.dimensions, q.input_hash) IN (
    SELECT o.model, o.dimensions, o.input_hash FROM kb_rag.query_cache o
    WHERE o.created_at <= clock_timestamp() - make_interval(secs => $1)
    FOR UPDATE SKIP LOCKED)
