INSERT INTO kb_rag.agent_knowledge_base (agent_id, knowledge_base_id) VALUES ($1, $2) ON CONFLICT DO NOTHING
