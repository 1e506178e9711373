-- Claims that no process will finish: of a process that is gone, of an earlier process with the same number, and of a
-- session whose CALL kb_work() was canceled. The processes are looked at after the snapshot was taken.
SELECT j.id, j.worker, j.claimed_at FROM kb_rag.job j
WHERE j.worker IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_stat_get_activity(j.worker) a
    WHERE coalesce(a.backend_start <= j.claimed_at, true)
        AND NOT coalesce(a.backend_type = 'client backend' AND (a.state ~ '^idle' OR a.query_start > j.claimed_at), false)
)
