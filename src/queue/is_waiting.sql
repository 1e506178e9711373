SELECT id FROM kb_rag.job
WHERE knowledge_base_id = $1 AND kind = $2 AND NOT failed AND worker IS NULL AND due_at > clock_timestamp()
LIMIT 1
