coalesce((SELECT g.use_knowledge_base FROM kb_rag.agent g WHERE g.agent_id = a.agent_id), true)
