SELECT EXISTS (SELECT FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind = 'embed' AND NOT failed)
    OR EXISTS (SELECT FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind NOT IN ('index', 'summary') AND failed)
