CASE
    WHEN k.id = $1 THEN '{}'
    WHEN NOT EXISTS (SELECT FROM kb_rag.knowledge_base own WHERE own.id = $1)
        THEN (SELECT a.filter FROM kb_rag.agent_knowledge_base a WHERE a.agent_id = $1 AND a.knowledge_base_id = k.id)
END
