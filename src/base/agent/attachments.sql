SELECT a.agent_id, a.knowledge_base_id, a.filter, {uses}
FROM kb_rag.agent_knowledge_base a
WHERE a.knowledge_base_id = ANY ($1) AND NOT EXISTS (SELECT FROM kb_rag.knowledge_base own WHERE own.id = a.agent_id)
