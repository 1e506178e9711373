SELECT use_knowledge_base FROM kb_rag.agent WHERE agent_id = $1
