SELECT groupid FROM kb_rag.placement WHERE knowledge_base_id = $1 AND part = 0
