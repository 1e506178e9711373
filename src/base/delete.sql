WITH detached AS (DELETE FROM kb_rag.agent_knowledge_base WHERE knowledge_base_id = $1)
DELETE FROM kb_rag.knowledge_base WHERE id = $1
