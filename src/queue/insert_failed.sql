INSERT INTO kb_rag.job (knowledge_base_id, kind, target, attempts, failed, error) VALUES ($1, $2, $3, 1, true, $4)
