INSERT INTO kb_rag.job (knowledge_base_id, kind, target) SELECT $1, $2, t FROM unnest($3) t
