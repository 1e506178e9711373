SELECT name FROM kb_rag.knowledge_base ORDER BY name
