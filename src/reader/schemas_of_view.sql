-- The schemas, quoted, of the tables with vectors that the view $1 reads.
SELECT DISTINCT quote_ident(n.nspname)
FROM pg_rewrite w
JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
JOIN pg_class t ON t.oid = d.refobjid AND t.relname = 'embedding'
JOIN pg_namespace n ON n.oid = t.relnamespace
WHERE w.ev_class = $1
