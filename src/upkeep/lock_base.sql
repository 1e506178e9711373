SELECT FROM kb_rag.knowledge_base WHERE id = $1 FOR NO KEY UPDATE
