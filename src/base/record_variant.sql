UPDATE kb_rag.knowledge_base SET model_variants = model_variants || $2
WHERE id = (
    SELECT id FROM kb_rag.knowledge_base
    WHERE id = $1 AND $2 <> ALL (model_variants)
    FOR NO KEY UPDATE SKIP LOCKED
)
