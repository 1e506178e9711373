UPDATE kb_rag.attached_table SET is_read = false, read_to = NULL, rows_read = 0{no_since}
WHERE source_id = $1 AND knowledge_base_id = $2
