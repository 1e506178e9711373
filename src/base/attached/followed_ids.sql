SELECT source_id FROM kb_rag.attached_table WHERE knowledge_base_id = $1 AND row_security = 'ignore' AND key_types IS NOT NULL ORDER BY source_id
