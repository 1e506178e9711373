UPDATE kb_rag.job SET due_at = clock_timestamp(), worker = NULL, claimed_at = NULL, lease_until = NULL, attempts = attempts - 1
WHERE id IN (SELECT id FROM kb_rag.job WHERE worker = pg_backend_pid() FOR UPDATE SKIP LOCKED)
