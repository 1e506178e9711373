-- The total writes to the vector table: rows inserted, updated, deleted, and now dead.
SELECT pg_stat_get_tuples_inserted(oid), pg_stat_get_tuples_updated(oid), pg_stat_get_tuples_deleted(oid),
    pg_stat_get_dead_tuples(oid)
FROM (SELECT '{schema}.embedding'::regclass::oid) t
