INSERT INTO kb_rag.knowledge_base (
    model, dimensions, chunk_size, chunk_overlap, chunk_unit, chunk_strategy, text_config, ranker, index_method, embed,
    bm25_k1, bm25_b, title_weight, heading_weight,
    id, name, slug, schema, description, owner, model_variants
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
ON CONFLICT DO NOTHING
