-- No two workers have the same document: one that is claimed under any job is not given out under another, but a chat model that
-- summarizes it does not hold up its vectors, nor does VACUUM hold up the merges of a base. Only jobs of
-- one generation at a time: what triggers queue meanwhile follows from these. A claim whose lease has ended is due again:
-- one index finds both, so that a claim updates no further index.
WITH due AS (
    SELECT j.id FROM kb_rag.job j
    WHERE j.knowledge_base_id = $1 AND j.kind = $2 AND NOT j.failed AND coalesce(j.lease_until, j.due_at) <= clock_timestamp()
        AND j.generation = (
            SELECT f.generation FROM kb_rag.job f
            WHERE f.knowledge_base_id = $1 AND f.kind = $2 AND NOT f.failed AND coalesce(f.lease_until, f.due_at) <= clock_timestamp()
                AND NOT EXISTS (
                    SELECT FROM kb_rag.job o
                    WHERE o.target = f.target AND o.worker IS NOT NULL AND o.lease_until > clock_timestamp()
                        AND (o.kind = 'summary') = ($2 = 'summary') AND (o.kind = 'compact') = ($2 = 'compact')
                )
            ORDER BY coalesce(f.lease_until, f.due_at)
            LIMIT 1
        )
        AND NOT EXISTS (
            SELECT FROM kb_rag.job o
            WHERE o.target = j.target AND o.worker IS NOT NULL AND o.lease_until > clock_timestamp()
                AND (o.kind = 'summary') = ($2 = 'summary') AND (o.kind = 'compact') = ($2 = 'compact')
        )
    ORDER BY coalesce(j.lease_until, j.due_at)
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE kb_rag.job j
SET attempts = j.attempts + 1, worker = pg_backend_pid(), claimed_at = clock_timestamp(),
    lease_until = clock_timestamp() + make_interval(secs => $4)
FROM due
WHERE j.id = due.id
RETURNING j.id, j.target, j.attempts, j.generation, j.unusable
