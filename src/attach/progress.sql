UPDATE kb_rag.attached_table
SET read_to = $2, rows_read = rows_read + $3, is_read = $4{since},
    rows_in_all = CASE WHEN $4 THEN rows_read + $3 ELSE greatest(rows_in_all, rows_read + $3) END
WHERE source_id = $1
