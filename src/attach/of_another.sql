SELECT source_id FROM kb_rag.attached_table WHERE source_id = $1 AND knowledge_base_id <> $2
