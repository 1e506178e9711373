-- Another role may attach a base of its own to such an agent.
DELETE FROM kb_rag.agent g
WHERE NOT EXISTS (SELECT FROM kb_rag.agent_knowledge_base a WHERE a.agent_id = g.agent_id)
