UPDATE kb_rag.knowledge_base
SET description = $2, schema = $3, model_variants = $4, next_model = $5, next_dimensions = $6{next_cut},
    ({settings}) = ROW ({values})
WHERE id = $1
