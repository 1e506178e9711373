-- The agents that were answered from the bases $1, with their last names, unless they have a base by now.
SELECT u.agent_id, u.knowledge_base_id, (array_agg(u.name ORDER BY u.asked_at DESC))[1], max(u.asked_at)
FROM kb_rag.unattached_agent u
WHERE u.knowledge_base_id = ANY ($1) AND NOT EXISTS (SELECT FROM kb_rag.agent_knowledge_base a WHERE a.agent_id = u.agent_id)
GROUP BY u.agent_id, u.knowledge_base_id
