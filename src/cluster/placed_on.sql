SELECT name, knowledge_base_id::text FROM kb_rag.placement WHERE part = 0 AND groupid = $1
