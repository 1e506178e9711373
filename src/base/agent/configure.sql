INSERT INTO kb_rag.agent AS g (agent_id, use_knowledge_base) VALUES ($1, $2)
ON CONFLICT (agent_id) DO UPDATE SET use_knowledge_base = excluded.use_knowledge_base WHERE g.use_knowledge_base <> excluded.use_knowledge_base
