-- Cancels autovacuum of the tables $1, unless it prevents wraparound: as PostgreSQL does for a session that waits for a lock.
SELECT count(pg_cancel_backend(a.pid))
FROM pg_stat_activity a
WHERE a.backend_type = 'autovacuum worker' AND a.query LIKE 'autovacuum: %' AND a.query NOT LIKE '%(to prevent wraparound)'
    AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
    AND EXISTS (
        SELECT FROM pg_locks l
        WHERE l.pid = a.pid AND l.locktype = 'relation' AND l.relation = ANY ($1) AND l.granted
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
