SELECT text_config FROM kb_rag.knowledge_base WHERE schema = $1
