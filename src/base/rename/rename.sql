UPDATE kb_rag.knowledge_base SET name = $2 WHERE id = $1
