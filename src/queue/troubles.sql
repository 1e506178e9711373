SELECT target, error, attempts, CASE WHEN NOT failed THEN due_at END
FROM kb_rag.job
WHERE knowledge_base_id = $1 AND kind IN ('embed', 'change') AND error IS NOT NULL
ORDER BY id
