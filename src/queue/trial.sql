-- Whether the work is paused or on trial after a pause, and whether nothing can be claimed: it is still paused, or a process
-- has the chunk that is sent first.
SELECT count(*) > 0, coalesce(bool_or(p.until > clock_timestamp()), false) OR count(*) > 0 AND EXISTS (
    SELECT FROM kb_rag.job
    WHERE knowledge_base_id = $1 AND kind = $2 AND worker IS NOT NULL AND lease_until > clock_timestamp()
)
FROM kb_rag.pause p
WHERE p.knowledge_base_id = $1 AND p.kind = $2 AND p.tries_one_chunk
