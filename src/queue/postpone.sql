-- Never waits, like all statements by which a worker writes its jobs: a session that holds the row of a claimed job
-- removes it, as kb_configure and kb_drop do, and may wait for this worker. Other rows are freed when the worker is
-- gone.
UPDATE kb_rag.job
SET due_at = clock_timestamp() + make_interval(secs => $2), worker = NULL, claimed_at = NULL,
    lease_until = NULL, attempts = attempts - CASE WHEN $3 THEN 0 ELSE 1 END, error = coalesce($4, error)
WHERE id IN (SELECT id FROM kb_rag.job WHERE id = ANY ($1) AND worker = pg_backend_pid() FOR UPDATE SKIP LOCKED)
