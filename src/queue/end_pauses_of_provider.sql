-- Pauses of bases too that answers of the provider led to.
DELETE FROM kb_rag.pause
WHERE provider = $1 OR split_part(model, '/', 1) = $1 OR tries_one_chunk AND knowledge_base_id IN (
    SELECT id FROM kb_rag.knowledge_base WHERE $1 IN (split_part(model, '/', 1), split_part(next_model, '/', 1))
)
