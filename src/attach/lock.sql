SELECT source_id FROM kb_rag.attached_table WHERE source_id = $1 FOR NO KEY UPDATE
