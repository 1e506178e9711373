SELECT EXISTS (SELECT FROM kb_rag.knowledge_base WHERE slug = $1),
    EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = ('kb_' || $1)::name)
