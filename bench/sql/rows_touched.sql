-- Rows of tables read by sequential scans, by bitmap scans, or through an index (counted at the index).
SELECT sum(
    CASE WHEN relkind = 'r' THEN pg_stat_get_xact_tuples_returned(oid) ELSE 0 END + pg_stat_get_xact_tuples_fetched(oid)
)::int8
FROM pg_class
WHERE relkind IN ('r', 'i')
    AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace)
