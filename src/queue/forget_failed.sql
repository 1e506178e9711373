-- A session that retries a job has it locked.
DELETE FROM kb_rag.job
WHERE id IN (
    SELECT id FROM kb_rag.job
    WHERE failed AND target = $2 AND knowledge_base_id = $1 AND kind = ANY ($3)
    FOR UPDATE SKIP LOCKED
)
