SELECT id FROM kb_rag.knowledge_base WHERE name = $1 FOR NO KEY UPDATE
