DELETE FROM kb_rag.job WHERE knowledge_base_id = $1
