UPDATE kb_rag.job
SET due_at = clock_timestamp() + make_interval(secs => $1), worker = NULL, claimed_at = NULL, error = $2,
    attempts = attempts - CASE WHEN $4 THEN 0 ELSE 1 END, failed = $4 AND attempts >= $3
WHERE worker = pg_backend_pid()
