SELECT EXISTS (SELECT FROM kb_rag.knowledge_base WHERE id = $1)
    OR EXISTS (SELECT FROM kb_rag.agent_knowledge_base WHERE agent_id = $1)
