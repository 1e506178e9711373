INSERT INTO kb_rag.attached_table (
    source_id, knowledge_base_id, location, relation, uses, labels, names, numbers, source_type, rows_in_all, row_security{key_types}{options_column}
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11{types_of_key}{options_value})
ON CONFLICT (source_id) DO UPDATE
SET location = excluded.location, relation = excluded.relation,
    uses = excluded.uses, labels = excluded.labels, names = excluded.names, numbers = excluded.numbers,
    source_type = excluded.source_type, row_security = excluded.row_security{new_types}{new_options}, row_secured = false, rows_in_all = excluded.rows_in_all, is_read = false, read_to = NULL, rows_read = 0
WHERE attached_table.knowledge_base_id = excluded.knowledge_base_id
