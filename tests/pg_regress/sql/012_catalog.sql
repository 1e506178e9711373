-- Every object of the extension and of a base with owner, privileges and labels: every change here must be intended. The
-- text is the same on all majors: without MAINTAIN, added in 17, and without named NOT NULL constraints, added in 18.
SET client_min_messages = warning;
CREATE FUNCTION privileges(acl aclitem[], owner oid) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(grantee || ': ' || privileges, '; ' ORDER BY grantee)
    FROM (
        SELECT CASE a.grantee WHEN 0 THEN 'public' WHEN owner THEN 'owner' ELSE a.grantee::regrole::text END AS grantee,
            string_agg(a.privilege_type || CASE WHEN a.is_grantable THEN '*' ELSE '' END, ',' ORDER BY a.privilege_type) AS privileges
        FROM aclexplode(acl) a WHERE a.privilege_type <> 'MAINTAIN' GROUP BY 1
    ) g
$$;
CREATE VIEW member AS
    SELECT d.classid, d.objid, e.extowner AS owner, e.extnamespace AS namespace
    FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kb_rag'
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e';

-- The extension: schemas, tables, views and indexes, functions; then any other object besides row types: none.
SELECT n.nspname AS schema, n.nspowner = m.owner AS owned, privileges(coalesce(n.nspacl, acldefault('n', n.nspowner)), n.nspowner)
FROM member m JOIN pg_namespace n ON m.classid = 'pg_namespace'::regclass AND n.oid = m.objid
ORDER BY 1;
SELECT c.relkind AS kind, c.oid::regclass AS relation, c.relowner = m.owner AS owned,
    CASE WHEN c.relkind <> 'i' THEN privileges(coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner)), c.relowner) END AS privileges,
    c.reloptions AS options, c.relrowsecurity AS secured
FROM member m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
ORDER BY c.relkind, c.relname;
SELECT p.oid::regproc AS function, p.prokind AS kind, p.proowner = m.owner AS owned,
    privileges(coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner), p.provolatile AS volatility, p.proparallel AS parallel,
    p.proisstrict AS strict, p.prosecdef AS definer, p.proleakproof AS leakproof, p.procost AS cost, p.prorows AS rows, p.proconfig AS config
FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
ORDER BY p.pronamespace::regnamespace::text, p.proname;
SELECT pg_describe_object(m.classid, m.objid, 0) AS other
FROM member m
WHERE m.classid NOT IN ('pg_namespace'::regclass, 'pg_class'::regclass, 'pg_proc'::regclass)
    AND NOT (m.classid = 'pg_type'::regclass
        AND EXISTS (SELECT FROM pg_type t WHERE t.oid = m.objid AND (t.typrelid <> 0 OR t.typelem <> 0)));

-- A base of a role that is not a superuser.
CREATE ROLE kb_test012_owner;
SELECT kb_grant_admin('kb_test012_owner');
SET ROLE kb_test012_owner;
SELECT kb_create('golden', model => 'fake/test', dimensions => 8) AS id \gset
RESET ROLE;
SELECT n.nspname AS schema, n.nspowner::regrole AS owner, privileges(coalesce(n.nspacl, acldefault('n', n.nspowner)), n.nspowner)
FROM pg_namespace n WHERE n.nspname = 'kb_golden';
SELECT c.relkind AS kind, c.relname AS relation, c.relowner = n.nspowner AS owned,
    CASE WHEN c.relkind <> 'i' THEN privileges(coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner)), c.relowner) END AS privileges,
    c.reloptions AS options, c.relrowsecurity AS secured
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'kb_golden' ORDER BY c.relkind, c.relname;
SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
    pg_get_expr(d.adbin, d.adrelid) AS default_value, a.attacl AS privileges
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE c.relnamespace = 'kb_golden'::regnamespace AND a.attnum > 0
ORDER BY c.relname, a.attnum;
SELECT pg_get_indexdef(i.indexrelid) AS index FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = 'kb_golden'::regnamespace ORDER BY 1;
SELECT o.conrelid::regclass AS table, o.conname AS constraint, pg_get_constraintdef(o.oid) AS definition
FROM pg_constraint o WHERE o.connamespace = 'kb_golden'::regnamespace AND o.contype <> 'n' ORDER BY o.conrelid::regclass::text, 2;
SELECT t.tgenabled AS enabled, replace(pg_get_triggerdef(t.oid), :'id', '<id>') AS trigger
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'kb_golden'::regnamespace AND NOT t.tgisinternal ORDER BY 2;
SELECT count(*) AS functions_policies_and_rules FROM (
    SELECT oid FROM pg_proc WHERE pronamespace = 'kb_golden'::regnamespace
    UNION ALL SELECT p.oid FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = 'kb_golden'::regnamespace
    UNION ALL SELECT r.oid FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE c.relnamespace = 'kb_golden'::regnamespace
) o;

-- The rules for the catalog; each fault is a row.
WITH allowed (name, reason) AS (
    -- What every role may execute. A function either checks itself what the caller may do (search: SELECT on the base's
    -- tables; write: INSERT, UPDATE or DELETE on document; admin, owner: of the base; list, view: shows what the caller may see; caller: reads tables and calls providers with the caller's own privileges), or only computes, for
    -- the caller or for an object of a base.
    VALUES
        ('kb_hybrid_search', 'search'), ('kb_search', 'search'), ('kb_call_tool', 'search'), ('kb_context', 'search'), ('kb_snippets', 'search'), ('match_knowledge_chunks', 'search'), ('kb_search_documents', 'search'), ('kb_read', 'search'), ('kb_browse', 'search'), ('kb_stats', 'search'), ('kb_estimate', 'search'), ('kb_warm_query', 'search'), ('kb_lexemes', 'search'), ('kb_highlight', 'search'), ('kb_explain', 'search'), ('logged_search', 'search'), ('part_statistics', 'search'), ('part_candidates', 'search'), ('part_rows', 'search'), ('part_hints', 'search'), ('part_documents', 'search'), ('part_tools', 'search'),
        ('kb_add', 'write'), ('kb_add_file', 'write'), ('kb_add_output', 'write'), ('kb_add_url', 'write'), ('kb_source_sync', 'write'), ('kb_source_drop', 'write'), ('kb_delete', 'write'), ('kb_delete_where', 'write'), ('kb_refresh', 'write'),
        ('kb_agent_configure', 'admin'), ('kb_agent_drop', 'admin'), ('kb_attach', 'admin'), ('kb_attach_agent', 'admin'), ('kb_compare', 'admin'), ('kb_configure', 'admin'), ('kb_detach', 'admin'), ('kb_detach_agent', 'admin'), ('kb_evaluate', 'admin'), ('kb_evaluate_questions', 'admin'), ('kb_expose', 'admin'), ('kb_grant', 'admin'), ('kb_import', 'admin'), ('kb_question_add', 'admin'), ('kb_question_draft', 'admin'), ('kb_reconcile', 'admin'), ('kb_reindex', 'admin'), ('kb_retry', 'admin'), ('kb_revoke', 'admin'), ('kb_suggest', 'admin'), ('kb_work', 'admin'),
        ('kb_drop', 'owner'), ('kb_rename', 'owner'),
        ('kb_list', 'list'), ('kb_agent_list', 'list'), ('kb_tools', 'list'), ('kb_tools_config', 'list'), ('kb_provider_list', 'list'), ('kb_source_list', 'list'), ('kb_prompt_list', 'list'),
        ('administered_bases', 'view'), ('cluster_nodes', 'view'), ('node_state', 'view'), ('agent_has_bases', 'list'), ('administers_agent', 'list'), ('is_node', 'compute'), ('vouched_process', 'compute'), ('source_overview', 'view'), ('base_status', 'view'), ('failures', 'view'), ('unsecured_bases', 'view'),
        ('kb_retrieve', 'caller'), ('kb_check_search', 'caller'), ('kb_rewrite_query', 'caller'),
        ('kb_agent', 'compute'), ('kb_chunk', 'compute'), ('kb_embed', 'compute'), ('kb_embed_batch', 'compute'),
        ('is_same', 'trigger'), ('condition_holds', 'trigger'), ('as_jsonb', 'trigger'), ('url_encode', 'trigger'), ('text_config', 'trigger'), ('to_tsvector', 'trigger'), ('chunk_tsv', 'trigger'),
        ('word_count', 'index'), ('filter_number', 'index'), ('filter_time', 'index'), ('iso_time', 'index'), ('row_is_visible', 'policy'),
        ('uuid_v7', 'default')
), function AS (
    SELECT p.*, m.namespace FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
), relation AS (
    SELECT c.oid, c.relkind FROM member m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
    UNION ALL
    SELECT oid, relkind FROM pg_class WHERE relnamespace = 'kb_golden'::regnamespace
)
SELECT 'strict' AS fault, proname::text AS object FROM function WHERE proisstrict
UNION ALL
SELECT 'security definer without search_path', proname FROM function
WHERE prosecdef AND NOT EXISTS (SELECT FROM unnest(proconfig) s WHERE s LIKE 'search\_path=%')
UNION ALL
-- The one with two arguments may stand in generated columns of users.
SELECT 'more than one', proname FROM function GROUP BY proname HAVING count(*) > CASE proname WHEN 'to_tsvector' THEN 2 ELSE 1 END
UNION ALL
SELECT 'not named kb_', proname FROM function WHERE pronamespace = namespace AND proname !~ '^kb_' AND proname <> 'match_knowledge_chunks'
UNION ALL
SELECT 'for everybody', proname FROM function WHERE has_function_privilege('public', oid, 'EXECUTE') AND proname NOT IN (SELECT name FROM allowed)
UNION ALL
SELECT 'not for everybody', name FROM allowed WHERE name NOT IN (SELECT proname FROM function WHERE has_function_privilege('public', oid, 'EXECUTE'))
UNION ALL
SELECT 'no comment', oid::regproc::text FROM function WHERE obj_description(oid, 'pg_proc') IS NULL
UNION ALL
-- The sequence of an identity column is a part of it.
SELECT 'no comment', oid::regclass::text FROM relation WHERE relkind NOT IN ('i', 'S') AND obj_description(oid, 'pg_class') IS NULL
UNION ALL
SELECT 'no comment', a.attrelid::regclass || '.' || a.attname FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid
-- PostgreSQL has no comments on columns of sequences.
WHERE r.relkind NOT IN ('i', 'S') AND a.attnum > 0 AND col_description(a.attrelid, a.attnum) IS NULL
UNION ALL
SELECT 'no comment', t.tgname FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid
WHERE NOT t.tgisinternal AND obj_description(t.oid, 'pg_trigger') IS NULL
UNION ALL
-- No role writes the catalog directly. Tables that may contain keys, or list who may use them, cannot be read either.
SELECT 'no row security', oid::regclass::text FROM relation r
WHERE relkind = 'r' AND oid IN (SELECT objid FROM member) AND NOT (SELECT relrowsecurity FROM pg_class c WHERE c.oid = r.oid)
UNION ALL
SELECT 'policy ' || polname, polrelid::regclass::text FROM pg_policy
WHERE polrelid IN (SELECT objid FROM member WHERE classid = 'pg_class'::regclass)
    AND (polcmd <> 'r' OR pg_get_expr(polqual, polrelid) <> 'true' OR polrelid IN ('kb_rag.limited_grant'::regclass, 'kb_rag.provider'::regclass, 'kb_rag.provider_grant'::regclass, 'kb_rag.search_log'::regclass, 'kb_rag.secret'::regclass))
UNION ALL
SELECT 'no comment', n.nspname FROM pg_namespace n
WHERE (n.nspname = 'kb_golden' OR n.oid IN (SELECT objid FROM member WHERE classid = 'pg_namespace'::regclass))
    AND obj_description(n.oid, 'pg_namespace') IS NULL;

-- kb_grant_admin grants what the install script revokes from PUBLIC, except the privilege to grant it.
SELECT p.proname, has_function_privilege('kb_test012_owner', p.oid, 'EXECUTE') AS granted
FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
WHERE p.pronamespace = m.namespace AND NOT has_function_privilege('public', p.oid, 'EXECUTE')
ORDER BY p.proname;

SELECT kb_drop('golden');
SELECT kb_revoke_admin('kb_test012_owner');
DROP ROLE kb_test012_owner;
DROP VIEW member;
DROP FUNCTION privileges;
