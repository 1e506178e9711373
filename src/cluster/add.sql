INSERT INTO kb_rag.placement (name, part, knowledge_base_id, groupid)
SELECT b.name, 0, b.id::uuid, b.groupid FROM unnest($1, $2, $3) b (name, id, groupid)
