DELETE FROM kb_rag.pause
WHERE kind IS NULL AND knowledge_base_id IN (
    SELECT knowledge_base_id FROM kb_rag.pause
    WHERE knowledge_base_id = $1 AND kind IS NULL AND until <= clock_timestamp()
    FOR UPDATE SKIP LOCKED
)
