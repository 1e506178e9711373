SELECT DISTINCT target FROM kb_rag.job j
WHERE knowledge_base_id = $1 AND kind = 'change' AND failed
    AND NOT EXISTS (SELECT FROM kb_rag.job o WHERE o.knowledge_base_id = $1 AND o.kind = 'change' AND o.target = j.target AND NOT o.failed)
