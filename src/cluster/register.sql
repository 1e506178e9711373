INSERT INTO kb_rag.placement (name, part, knowledge_base_id, groupid) VALUES ($1, 0, $2, $3)
ON CONFLICT (name, part) DO UPDATE SET knowledge_base_id = excluded.knowledge_base_id, groupid = excluded.groupid
