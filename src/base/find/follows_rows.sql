EXISTS (SELECT FROM kb_rag.attached_table a WHERE a.knowledge_base_id = k.id AND a.row_security = 'ignore' AND a.key_types IS NOT NULL)
