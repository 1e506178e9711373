INSERT INTO kb_rag.missed_write (knowledge_base_id, source_id) VALUES ($1, $2)
