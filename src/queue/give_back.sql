-- Never waits: a session that holds a row is removing it.
UPDATE kb_rag.job
SET due_at = clock_timestamp() + make_interval(secs => ($1::float8[])[least(attempts, $3) + 1]), worker = NULL, claimed_at = NULL,
    lease_until = NULL, error = $2, failed = attempts >= $3
WHERE id IN (SELECT id FROM kb_rag.job WHERE worker = pg_backend_pid() FOR UPDATE SKIP LOCKED)
