SELECT source_id FROM kb_rag.attached_table WHERE knowledge_base_id = $1 ORDER BY source_id FOR NO KEY UPDATE
