INSERT INTO kb_rag.agent_knowledge_base AS a (agent_id, knowledge_base_id, filter) VALUES ($1, $2, $3)
ON CONFLICT (agent_id, knowledge_base_id) DO UPDATE SET filter = excluded.filter WHERE a.filter <> excluded.filter
