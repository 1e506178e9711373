-- The statements that make the view $1, called $2, with its comments.
SELECT statement
FROM (
    SELECT 0, format('CREATE VIEW %s %s AS %s', $2, ' WITH (' || array_to_string(r.reloptions, ', ') || ')', pg_get_viewdef(r.oid))
    FROM pg_class r
    WHERE r.oid = $1
    UNION ALL
    SELECT 1, format('COMMENT ON VIEW %s IS %L', $2, obj_description($1, 'pg_class'))
    UNION ALL
    SELECT 1 + a.attnum, format('COMMENT ON COLUMN %s.%I IS %L', $2, a.attname, col_description($1, a.attnum))
    FROM pg_attribute a
    WHERE a.attrelid = $1 AND a.attnum > 0
) t (position, statement)
ORDER BY position
