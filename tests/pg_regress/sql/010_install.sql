-- What a user sees of the extension and of a base. 012_catalog lists every object with its privileges.
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
SELECT kb_drop('layout');
