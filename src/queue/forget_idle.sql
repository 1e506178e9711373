-- Not those that another session is claiming.
DELETE FROM kb_rag.job
WHERE id IN (
    SELECT id FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind = $2 AND target = $3 AND worker IS NULL FOR UPDATE SKIP LOCKED
)
