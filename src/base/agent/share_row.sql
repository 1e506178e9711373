SELECT id FROM kb_rag.knowledge_base WHERE id = $1 FOR KEY SHARE
