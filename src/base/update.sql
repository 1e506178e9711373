UPDATE kb_rag.knowledge_base
SET model = $1, dimensions = $2, chunk_size = $3, chunk_overlap = $4, chunk_unit = $5, chunk_strategy = $6,
    text_config = $7, ranker = $8, index_method = $9, embed = $10,
    bm25_k1 = $11, bm25_b = $12, title_weight = $13, heading_weight = $14,
    description = $16, schema = $17, model_variants = $18,
    next_model = $19, next_dimensions = $20
WHERE id = $15
