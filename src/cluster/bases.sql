SELECT id::text, name FROM kb_rag.knowledge_base ORDER BY name
