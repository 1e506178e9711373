-- The views of tables $1 that belong to $2 and have the comment $3, and the one of the name $4: kb_expose made them.
SELECT v.oid, format('%I.%I', n.nspname, v.relname)
FROM pg_class v
JOIN pg_namespace n ON n.oid = v.relnamespace
WHERE v.oid IN (
        SELECT w.ev_class
        FROM pg_depend d
        JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY ($1)
        UNION ALL SELECT to_regclass($4)
    )
    AND v.relkind = 'v' AND v.relowner = $2 AND obj_description(v.oid, 'pg_class') = $3
ORDER BY v.oid
