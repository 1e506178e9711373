SELECT EXISTS (SELECT FROM kb_rag.knowledge_base WHERE log_searches)
