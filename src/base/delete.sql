DELETE FROM kb_rag.knowledge_base WHERE id = $1
