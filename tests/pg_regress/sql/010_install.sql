-- What CREATE EXTENSION makes: every function with its arguments, volatility, parallel label and who may execute it.
SELECT p.oid::regprocedure AS function, p.provolatile AS volatility, p.proparallel AS parallel, p.proretset AS set,
    has_function_privilege('public', p.oid, 'EXECUTE') AS public
FROM pg_proc p
JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kb_rag'
ORDER BY p.proname;

-- No function is STRICT: NULL gets an error of its own. Each has one signature. Everything is commented.
WITH member AS (
    SELECT d.classid, d.objid
    FROM pg_depend d
    JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kb_rag'
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
)
SELECT 'strict' AS fault, p.proname AS name
FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
WHERE p.proisstrict
UNION ALL
SELECT 'overloaded', p.proname
FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
GROUP BY p.proname HAVING count(*) > 1
UNION ALL
SELECT 'security definer', p.proname
FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
WHERE p.prosecdef
UNION ALL
SELECT 'no comment', pg_describe_object(m.classid, m.objid, 0)
FROM member m
WHERE m.classid IN ('pg_proc'::regclass, 'pg_class'::regclass, 'pg_namespace'::regclass)
    AND obj_description(m.objid, m.classid::regclass::name) IS NULL
    AND NOT EXISTS (SELECT FROM pg_class c WHERE m.classid = 'pg_class'::regclass AND c.oid = m.objid AND c.relkind = 'i');

-- The signatures are a contract: named arguments and their defaults.
SELECT p.proname, pg_get_function_arguments(p.oid) AS arguments
FROM pg_proc p
WHERE p.proname ~ '^kb_' AND p.pronamespace = 'public'::regnamespace OR p.proname = 'match_knowledge_chunks'
ORDER BY p.proname;

-- The tables of a base are ordinary tables of their owner, not members of the extension.
SELECT kb_create('layout', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT c.relname, c.relkind FROM pg_class c WHERE c.relnamespace = 'kb_layout'::regnamespace ORDER BY c.relname;
SELECT a.attrelid::regclass AS table, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attstorage AS storage
FROM pg_attribute a
WHERE a.attrelid IN ('kb_layout.chunk'::regclass, 'kb_layout.embedding'::regclass) AND a.attnum > 0
ORDER BY a.attrelid::regclass::text, a.attnum;
SELECT count(*) AS members FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND d.classid = 'pg_class'::regclass
WHERE d.deptype = 'e' AND c.relnamespace = 'kb_layout'::regnamespace;
SELECT relname, obj_description(oid, 'pg_class') IS NOT NULL AS commented
FROM pg_class WHERE relnamespace = 'kb_layout'::regnamespace AND relkind = 'r' ORDER BY relname;
SELECT attrelid::regclass AS table, attname AS without_comment
FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE c.relnamespace = 'kb_layout'::regnamespace AND c.relkind = 'r' AND attnum > 0 AND col_description(attrelid, attnum) IS NULL;
SELECT kb_drop('layout');
