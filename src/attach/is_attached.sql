SELECT EXISTS (SELECT FROM kb_rag.attached_table WHERE source_id = $1)
