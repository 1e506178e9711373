k.id IN (SELECT a.knowledge_base_id FROM kb_rag.agent_knowledge_base a WHERE a.agent_id = $1)
