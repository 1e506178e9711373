-- Claims that no process will finish: of a process that is gone, of an earlier process with the same number, and of a
-- session whose CALL kb_work() was canceled.
UPDATE kb_rag.job SET due_at = clock_timestamp(), worker = NULL, claimed_at = NULL, lease_until = NULL, attempts = attempts - 1
WHERE id IN (
    SELECT j.id FROM kb_rag.job j
    WHERE j.worker IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_stat_get_activity(j.worker) a
        WHERE coalesce(a.backend_start <= j.claimed_at, true)
            AND NOT coalesce(a.backend_type = 'client backend' AND (a.state ~ '^idle' OR a.query_start > j.claimed_at), false)
    )
    FOR UPDATE SKIP LOCKED
)
