UPDATE kb_rag.job
SET lease_until = clock_timestamp() + make_interval(secs => $2), attempts = CASE WHEN target = ANY ($3) THEN 1 ELSE attempts END
WHERE id IN (SELECT id FROM kb_rag.job WHERE id = ANY ($1) AND worker = pg_backend_pid() FOR UPDATE SKIP LOCKED)
