UPDATE kb_rag.pause SET exceeded = true WHERE knowledge_base_id = $1 AND kind IS NULL
