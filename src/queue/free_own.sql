UPDATE kb_rag.job SET due_at = clock_timestamp(), worker = NULL, claimed_at = NULL, attempts = attempts - 1
WHERE worker = pg_backend_pid()
