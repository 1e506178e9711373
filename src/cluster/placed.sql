SELECT name, knowledge_base_id::text, groupid FROM kb_rag.placement WHERE part = 0
