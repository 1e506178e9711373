SELECT g.agent_id
FROM kb_rag.agent g
JOIN kb_rag.agent_knowledge_base a ON a.agent_id = g.agent_id
WHERE a.knowledge_base_id = $1 AND NOT g.use_knowledge_base
