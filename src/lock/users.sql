-- The processes that hold locks on the tables $1, and whether each waits for this one, directly or through others.
WITH RECURSIVE way (holder, pid) AS (
    SELECT pid, pid
    FROM pg_locks
    WHERE locktype = 'relation' AND relation = ANY ($1) AND granted AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    UNION
    SELECT w.holder, b.pid
    FROM way w
    CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS b (pid)
    WHERE w.pid <> pg_backend_pid()
)
SELECT holder, bool_or(pid = pg_backend_pid()) FROM way GROUP BY holder ORDER BY holder
