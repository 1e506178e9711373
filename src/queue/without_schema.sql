SELECT k.id FROM kb_rag.knowledge_base k
WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname = k.schema)
    AND (k.next_model IS NOT NULL OR EXISTS (SELECT FROM kb_rag.job j WHERE j.knowledge_base_id = k.id AND NOT j.failed))
