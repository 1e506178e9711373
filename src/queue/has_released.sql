SELECT EXISTS (
    SELECT FROM kb_rag.held_job h
    WHERE NOT EXISTS (
        SELECT FROM kb_rag.agent g
        JOIN kb_rag.agent_knowledge_base a ON a.agent_id = g.agent_id
        WHERE g.agent_id = h.agent_id AND a.knowledge_base_id = h.knowledge_base_id AND NOT g.use_knowledge_base
    )
)
