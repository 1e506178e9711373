-- A job that this transaction queued is due at the time at which the transaction began.
SELECT id FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind = $2 AND NOT failed AND worker IS NULL AND due_at = now()
LIMIT 1
