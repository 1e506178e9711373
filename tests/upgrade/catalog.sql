-- Everything that the extension kb_rag has created in this database, without OIDs and in a fixed order: one row for each
-- property of each object. A database where it was updated must give the same rows as one where it was installed.
WITH member AS (
    SELECT d.classid, d.objid, i.type, i.identity
    FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid AND e.extname = 'kb_rag'
    CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.classid, d.objid, 0) i
    WHERE d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.deptype = 'e'
), acl AS (
    SELECT 'pg_proc'::regclass AS classid, oid AS objid, proacl AS acl, proowner AS owner, 'f'::"char" AS kind FROM pg_catalog.pg_proc
    UNION ALL SELECT 'pg_class'::regclass, oid, relacl, relowner, CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char" FROM pg_catalog.pg_class
    UNION ALL SELECT 'pg_namespace'::regclass, oid, nspacl, nspowner, 'n' FROM pg_catalog.pg_namespace
    UNION ALL SELECT 'pg_type'::regclass, oid, typacl, typowner, 'T' FROM pg_catalog.pg_type
), relation AS (
    SELECT m.identity, c.* FROM member m JOIN pg_catalog.pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
)
-- Its existence, and its comment.
SELECT type || ' ' || identity AS object, 'comment' AS property,
    pg_catalog.obj_description(objid, classid::regclass::name) AS value
FROM member
UNION ALL
-- If privileges were never granted or revoked, the default is written out.
SELECT m.type || ' ' || m.identity, 'privileges', (
    SELECT pg_catalog.string_agg(p.entry, ' ' ORDER BY p.entry)
    FROM (SELECT pg_catalog.concat(CASE WHEN x.grantee = 0 THEN 'PUBLIC' WHEN x.grantee = a.owner THEN 'owner' ELSE x.grantee::regrole::text END,
            '=', x.privilege_type, CASE WHEN x.is_grantable THEN '*' END) AS entry
        FROM pg_catalog.aclexplode(coalesce(a.acl, pg_catalog.acldefault(a.kind, a.owner))) x) p)
FROM member m JOIN acl a USING (classid, objid)
UNION ALL
-- The privileges that pg_dump assumes after CREATE EXTENSION.
SELECT m.type || ' ' || m.identity, 'initial privileges', (
    SELECT pg_catalog.string_agg(x.grantee::regrole::text || '=' || x.privilege_type, ' ' ORDER BY x.grantee::regrole::text, x.privilege_type)
    FROM pg_catalog.aclexplode(i.initprivs) x)
FROM member m JOIN pg_catalog.pg_init_privs i ON i.classoid = m.classid AND i.objoid = m.objid AND i.objsubid = 0
UNION ALL
SELECT m.type || ' ' || m.identity, 'definition', pg_catalog.pg_get_functiondef(m.objid)
FROM member m JOIN pg_catalog.pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid AND p.prokind IN ('f', 'p')
UNION ALL
SELECT 'relation ' || identity, 'kind', pg_catalog.concat_ws(' ', relkind, relpersistence, reloptions::text, relrowsecurity, relforcerowsecurity, relreplident)
FROM relation
UNION ALL
SELECT 'relation ' || identity, 'definition', pg_catalog.pg_get_viewdef(oid) FROM relation WHERE relkind = 'v'
UNION ALL
SELECT 'relation ' || r.identity, 'column ' || a.attname, pg_catalog.concat_ws(' ',
    pg_catalog.format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END, a.attstorage, a.attidentity, a.attgenerated,
    'DEFAULT ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid), a.attacl::text, '-- ' || pg_catalog.col_description(r.oid, a.attnum))
FROM relation r
JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE r.relkind IN ('r', 'v', 'p', 'm')
UNION ALL
-- PostgreSQL 18 has a constraint for each NOT NULL, which the column shows already.
SELECT 'relation ' || r.identity, 'constraint ' || c.conname, pg_catalog.pg_get_constraintdef(c.oid)
FROM relation r JOIN pg_catalog.pg_constraint c ON c.conrelid = r.oid AND c.contype <> 'n'
UNION ALL
SELECT 'relation ' || r.identity, 'index ' || i.indexrelid::regclass::text, pg_catalog.pg_get_indexdef(i.indexrelid)
FROM relation r JOIN pg_catalog.pg_index i ON i.indrelid = r.oid
UNION ALL
SELECT 'relation ' || r.identity, 'trigger ' || t.tgname, pg_catalog.pg_get_triggerdef(t.oid)
FROM relation r JOIN pg_catalog.pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
UNION ALL
SELECT 'relation ' || r.identity, 'policy ' || p.polname, pg_catalog.concat_ws(' ', p.polcmd, p.polpermissive,
    pg_catalog.pg_get_expr(p.polqual, p.polrelid), pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid))
FROM relation r JOIN pg_catalog.pg_policy p ON p.polrelid = r.oid
UNION ALL
SELECT 'relation ' || r.identity, 'rule ' || w.rulename, pg_catalog.pg_get_ruledef(w.oid)
FROM relation r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid AND r.relkind <> 'v'
UNION ALL
SELECT 'relation ' || t.config::regclass::text, 'dumped where', coalesce(e.extcondition[t.position], '')
FROM pg_catalog.pg_extension e CROSS JOIN LATERAL pg_catalog.unnest(e.extconfig) WITH ORDINALITY t (config, position)
WHERE e.extname = 'kb_rag'
UNION ALL
SELECT 'extension kb_rag', 'version', pg_catalog.concat_ws(' ', e.extversion, e.extrelocatable, 'in', n.nspname, '--', pg_catalog.obj_description(e.oid, 'pg_extension'))
FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'kb_rag'
ORDER BY 1, 2, 3
