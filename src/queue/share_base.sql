SELECT FROM kb_rag.knowledge_base WHERE id = $1 FOR SHARE SKIP LOCKED
