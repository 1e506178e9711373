DELETE FROM kb_rag.pause WHERE knowledge_base_id = $1
