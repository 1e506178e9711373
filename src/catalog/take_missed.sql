DELETE FROM kb_rag.missed_write WHERE $1 IS NULL OR knowledge_base_id = $1 RETURNING knowledge_base_id, source_id
