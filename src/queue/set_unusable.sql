UPDATE kb_rag.job SET unusable = $2
WHERE id IN (SELECT id FROM kb_rag.job WHERE id = ANY ($1) AND worker = pg_backend_pid() FOR UPDATE SKIP LOCKED)
