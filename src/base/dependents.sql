-- The objects that keep PostgreSQL from dropping the tables and views $1 of a base, its functions $3 and their schema $2, each with one
-- that it depends on.
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
        d.refobjid = ANY ($1) AS is_table
    FROM dependent d
    LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid AND w.rulename = '_RETURN'
)
SELECT name, (array_agg(referenced ORDER BY is_table DESC, referenced))[1]
FROM named
WHERE name IS NOT NULL AND referenced IS NOT NULL
GROUP BY name
ORDER BY name
LIMIT 100
