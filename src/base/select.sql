SELECT k.id, k.name, k.schema, k.description, k.owner, k.model, k.dimensions,
    k.chunk_size, k.chunk_overlap, k.chunk_unit, k.chunk_strategy, k.text_config, k.ranker, k.index_method, k.embed,
    k.created_at, k.bm25_k1, k.bm25_b, k.title_weight, k.heading_weight, k.model_variants, k.next_model, k.next_dimensions
FROM kb_rag.knowledge_base k
WHERE {condition}
ORDER BY k.name
