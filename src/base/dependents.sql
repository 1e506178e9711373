-- The objects that keep PostgreSQL from dropping the tables and views $1 of a base, its functions $3 and their schema $2, each with one
-- that it depends on, and the names of its columns if it is a view of chunks or their vectors.
WITH RECURSIVE part (classid, objid) AS (
    SELECT 'pg_class'::regclass::oid, o.oid FROM unnest($1) o (oid)
    UNION
    SELECT 'pg_proc'::regclass::oid, o.oid FROM unnest($3) o (oid)
    UNION
    -- Indexes, constraints, types, policies and others that go with the tables.
    SELECT d.classid, d.objid
    FROM part p
    JOIN pg_depend d ON d.refclassid = p.classid AND d.refobjid = p.objid
    WHERE d.deptype IN ('a', 'i', 'P', 'S')
), dependent AS (
    SELECT d.*
    FROM (SELECT classid, objid FROM part UNION ALL SELECT 'pg_namespace'::regclass::oid, $2) r
    JOIN pg_depend d ON d.refclassid = r.classid AND d.refobjid = r.objid
    WHERE d.deptype = 'n' AND NOT EXISTS (SELECT FROM part p WHERE p.classid = d.classid AND p.objid = d.objid)
), named AS (
    SELECT CASE
            -- A view does not depend on a table itself: its rule does.
            WHEN w.oid IS NOT NULL THEN pg_describe_object('pg_class'::regclass, w.ev_class, 0)
            ELSE pg_describe_object(d.classid, d.objid, d.objsubid)
        END AS name,
        pg_describe_object(d.refclassid, d.refobjid, 0) AS referenced,
        d.refobjid = ANY ($1) AS is_table,
        CASE WHEN r.relname IN ('chunk', 'embedding') OR r.relkind = 'v' THEN w.ev_class END AS view
    FROM dependent d
    LEFT JOIN pg_class r ON d.refclassid = 'pg_class'::regclass AND r.oid = d.refobjid
    LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid AND w.rulename = '_RETURN'
), found AS (
    SELECT name, (array_agg(referenced ORDER BY is_table DESC, referenced))[1] AS referenced, max(view) AS view
    FROM named
    WHERE name IS NOT NULL AND referenced IS NOT NULL
    GROUP BY name
)
SELECT f.name, f.referenced, (
    SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = f.view AND a.attnum > 0
)
FROM found f
ORDER BY f.name
LIMIT 100
