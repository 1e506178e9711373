SELECT DISTINCT target FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind = 'embed' LIMIT $2
