UPDATE kb_rag.job
SET due_at = clock_timestamp() + make_interval(secs => $2), worker = NULL, claimed_at = NULL,
    attempts = attempts - CASE WHEN $3 THEN 0 ELSE 1 END, error = coalesce($4, error)
WHERE id = ANY ($1) AND worker = pg_backend_pid()
