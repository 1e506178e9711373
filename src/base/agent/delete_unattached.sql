DELETE FROM kb_rag.unattached_agent WHERE knowledge_base_id = ANY ($1) AND ($2 IS NULL OR agent_id = $2)
