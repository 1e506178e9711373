-- The columns of the view $1 with their types; its definition with its options.
SELECT array_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum),
    pg_get_viewdef(r.oid) || coalesce(array_to_string(r.reloptions, ' '), '')
FROM pg_class r
JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0
WHERE r.oid = $1
GROUP BY r.oid, r.reloptions
