SELECT coalesce(json_agg(json_build_object('id', id, 'name', name)), '[]') FROM kb_rag.knowledge_base
