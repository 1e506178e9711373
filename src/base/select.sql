SELECT k.id, k.name, k.schema, k.description, k.owner, k.model, k.dimensions,
    k.chunk_size, k.chunk_overlap, k.chunk_unit, k.chunk_strategy, k.text_config, k.ranker, k.index_method, k.embed,
    k.created_at, n.oid
FROM kb_rag.knowledge_base k
LEFT JOIN pg_catalog.pg_namespace n ON n.nspname::text = k.schema
WHERE {condition}
ORDER BY k.name
