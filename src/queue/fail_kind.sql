UPDATE kb_rag.job SET failed = true, worker = NULL, claimed_at = NULL, lease_until = NULL, error = $3
WHERE id IN (SELECT id FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind = $2 AND NOT failed FOR UPDATE SKIP LOCKED)
