UPDATE kb_rag.attached_table SET is_read = true, read_to = NULL, rows_read = greatest(rows_read, rows_in_all)
WHERE source_id = $1 AND NOT is_read
