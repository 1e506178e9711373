DELETE FROM kb_rag.agent_knowledge_base WHERE agent_id = $1 AND knowledge_base_id = $2
