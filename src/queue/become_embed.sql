UPDATE kb_rag.job SET kind = 'embed' WHERE knowledge_base_id = $1 AND kind = 'change'
