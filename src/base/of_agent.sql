k.id = ANY (ARRAY(
    SELECT a.knowledge_base_id FROM kb_rag.agent_knowledge_base a
    WHERE a.agent_id = $1 AND NOT EXISTS (SELECT FROM kb_rag.knowledge_base own WHERE own.id = $1)
) || $1)
