-- The views of tables $1 that belong to $2 and have a comment of $3, and the view collection in schema $4: kb_expose made them. Not to_regclass: the caller may have no privilege on the schema.
SELECT v.oid, format('%I.%I', n.nspname, v.relname)
FROM pg_class v
JOIN pg_namespace n ON n.oid = v.relnamespace
WHERE v.oid IN (
        SELECT w.ev_class
        FROM pg_depend d
        JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY ($1)
        UNION ALL SELECT c.oid FROM pg_class c WHERE c.relnamespace = $4 AND c.relname = 'collection'
    )
    AND v.relkind = 'v' AND v.relowner = $2 AND obj_description(v.oid, 'pg_class') = ANY ($3)
ORDER BY v.oid
