DELETE FROM kb_rag.held_job WHERE knowledge_base_id = $1
