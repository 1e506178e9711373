SELECT embed, model FROM kb_rag.knowledge_base WHERE schema = $1
