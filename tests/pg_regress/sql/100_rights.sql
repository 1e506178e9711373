-- Privileges: an administrator creates, a writer writes, a reader searches, an unrelated role gets 42501. Search runs with
-- the caller's privileges; ingestion with the owner's, after the caller's are checked.
SET client_min_messages = warning;
CREATE ROLE kb_test100_owner NOLOGIN;
CREATE ROLE kb_test100_admin;
CREATE ROLE kb_test100_reader;
CREATE ROLE kb_test100_writer;
CREATE ROLE kb_test100_stranger;
-- A role's privileges on the schema and on each table.
CREATE FUNCTION rights(grantee text) RETURNS TABLE (object text, privileges text) LANGUAGE sql AS $$
    SELECT object, string_agg(privilege_type, ',' ORDER BY privilege_type)
    FROM (
        SELECT 0 AS place, n.nspname::text AS object, a.* FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = 'kb_private'
        UNION ALL
        SELECT 1, c.relname, a.* FROM pg_class c, aclexplode(c.relacl) a WHERE c.relnamespace = to_regnamespace('kb_private')
    ) o
    WHERE o.grantee = coalesce(to_regrole($1)::oid, 0)
    GROUP BY place, object ORDER BY place, object
$$;

-- Creating bases requires a grant, and nothing else.
SET ROLE kb_test100_owner;
SELECT * FROM error_of($$SELECT kb_create('mine', model => 'fake/test')$$);
SELECT state, message FROM error_of($$SELECT kb_grant_admin('kb_test100_owner')$$);
SELECT state, message FROM error_of($$SELECT kb_revoke_admin('kb_test100_owner')$$);
RESET ROLE;
SELECT kb_grant_admin('kb_test100_owner');
SELECT kb_grant_admin('kb_test100_owner');
SELECT * FROM error_of($$SELECT kb_grant_admin('kb_test100_nobody')$$);
SELECT state, message FROM error_of($$SELECT kb_grant_admin(NULL)$$);
SELECT has_database_privilege('kb_test100_owner', current_database(), 'CREATE') AS may_create_schemas;

SET ROLE kb_test100_owner;
SELECT kb_create('private', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('private', 'A secret of the owner.', title => 'Secret', metadata => '{"level": 1}') IS NOT NULL AS added;
SELECT kb_add('private', 'Another secret.', title => 'Hidden', metadata => '{"level": 2}') IS NOT NULL AS added;
SELECT tableowner, count(*) FROM pg_tables WHERE schemaname = 'kb_private' GROUP BY 1;
SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'kb_private';
-- Granting: the arguments are checked first.
SELECT * FROM error_of($$SELECT kb_grant('private', 'kb_test100_reader', 'everything')$$);
SELECT * FROM error_of($$SELECT kb_grant('private', 'kb_test100_nobody', 'read')$$);
SELECT state, message FROM error_of($$SELECT kb_grant('nothing', 'kb_test100_reader', 'read')$$);
SELECT state, message FROM error_of($$SELECT kb_grant(NULL, 'kb_test100_reader', 'read')$$);
SELECT state, message FROM error_of($$SELECT kb_revoke('private', NULL, 'read')$$);
SELECT state, message FROM error_of($$SELECT kb_revoke('private', 'kb_test100_reader', NULL)$$);
SELECT * FROM error_of($$SELECT kb_revoke('private', 'kb_test100_owner', 'read')$$);
SELECT kb_grant('private', 'kb_test100_admin', 'admin');
RESET ROLE;
-- An administrator can grant too; another owner's table in the schema does not matter.
SET ROLE kb_test100_admin;
CREATE TABLE kb_private.notes (note text);
SELECT kb_grant('private', 'kb_test100_reader', 'read');
SELECT kb_grant('private', 'kb_test100_writer', 'write');
SELECT kb_grant('private', 'kb_test100_writer', 'write');
DROP TABLE kb_private.notes;
SELECT * FROM rights('kb_test100_reader');
SELECT * FROM rights('kb_test100_writer');
SELECT * FROM rights('kb_test100_admin');
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'private');
SELECT kb_detach_agent('a0000000-0000-0000-0000-000000000001', 'private');
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'private');
SELECT * FROM error_of($$SELECT kb_drop('private')$$);
RESET ROLE;

-- The reader searches and cannot write.
SET ROLE kb_test100_reader;
SELECT count(*) AS lexemes, (SELECT positions FROM kb_highlight('A secret.', 'secrets', 'private')) AS highlighted FROM kb_lexemes('A secret.', 'private');
SELECT title FROM kb_hybrid_search('secret', 'private') ORDER BY title;
SELECT title FROM kb_hybrid_search('secret') ORDER BY title;
SELECT name FROM kb_list();
SELECT knowledge_base, chunks FROM kb_rag.status;
SELECT * FROM error_of($$SELECT kb_add('private', 'x')$$);
SELECT state, message FROM error_of($$INSERT INTO kb_private.document (content) VALUES ('x')$$);
SELECT state, message FROM error_of($$UPDATE kb_private.document SET content = 'x'$$);
SELECT state, message FROM error_of($$DELETE FROM kb_private.document$$);
SELECT state, message FROM error_of($$DELETE FROM kb_private.chunk$$);
SELECT state, message FROM error_of($$SELECT kb_grant('private', 'kb_test100_reader', 'write')$$);
SELECT state, message FROM error_of($$SELECT kb_drop('private')$$);
SELECT * FROM error_of($$SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000002', 'private')$$);
SELECT state, message FROM error_of($$SELECT kb_detach_agent('a0000000-0000-0000-0000-000000000001', 'private')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_rag.knowledge_base$$);
SELECT state, message FROM error_of($$CREATE TRIGGER t AFTER INSERT ON kb_private.document EXECUTE FUNCTION kb_rag.document_inserted()$$);
RESET ROLE;

-- The writer writes, through kb_add and directly, and searches what it wrote.
SET ROLE kb_test100_writer;
SELECT kb_add('private', 'From the writer.', source_key => 'w') IS NOT NULL AS added;
SELECT kb_add('private', 'From the writer, again.', source_key => 'w') IS NOT NULL AS added;
INSERT INTO kb_private.document (content) VALUES ('Directly from the writer.'), ('A mistake of the writer.');
COPY kb_private.document (content, source_key) FROM stdin;
Copied by the writer.	c
\.
UPDATE kb_private.document SET content = 'Corrected by the writer.' WHERE source_key = 'c';
DELETE FROM kb_private.document WHERE content LIKE 'A mistake%';
INSERT INTO kb_private.source (kind, location) VALUES ('directory', '/srv');
DELETE FROM kb_private.source;
SELECT content FROM kb_search('writer', 'private', 'keyword') ORDER BY content;
SELECT state, message FROM error_of($$TRUNCATE kb_private.document CASCADE$$);
SELECT state, message FROM error_of($$UPDATE kb_private.chunk SET content = 'x'$$);
SELECT state, message FROM error_of($$DELETE FROM kb_private.embedding$$);
SELECT state, message FROM error_of($$SELECT kb_grant('private', 'kb_test100_writer', 'admin')$$);
SELECT state, message FROM error_of($$SELECT kb_revoke('private', 'kb_test100_reader', 'read')$$);
RESET ROLE;
-- Writing documents requires no privilege on chunk and embedding.
REVOKE ALL ON kb_private.chunk, kb_private.embedding FROM kb_test100_writer;
SET ROLE kb_test100_writer;
SELECT kb_add('private', 'Written blindly.') IS NOT NULL AS added;
SELECT state, message FROM error_of($$SELECT * FROM kb_hybrid_search('writer', 'private')$$);
RESET ROLE;
SELECT content FROM kb_private.chunk WHERE content ~ 'writer|blind' ORDER BY content;

-- The unrelated role gets 42501, or no rows if no base is named.
SELECT id AS private FROM kb_list() WHERE name = 'private' \gset
SET ROLE kb_test100_stranger;
SELECT call, e.state, e.message FROM (VALUES
    ($$SELECT * FROM kb_search('secret', 'private', 'hybrid')$$),
    ($$SELECT * FROM kb_search('secret', 'private', 'semantic')$$),
    ($$SELECT * FROM kb_search('secret', 'private', 'keyword')$$),
    ($$SELECT * FROM kb_search('secret', 'private', 'keyword', ranker => 'ts_rank')$$),
    ($$SELECT * FROM kb_hybrid_search('secret', 'private')$$),
    ($$SELECT * FROM kb_hybrid_search('secret', agent_id => 'a0000000-0000-0000-0000-000000000001')$$),
    ($$SELECT * FROM match_knowledge_chunks('a0000000-0000-0000-0000-000000000001', kb_embed('secret', 'fake/test', 8))$$),
    ($$SELECT kb_add('private', 'x')$$),
    ($$SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000003', 'private')$$),
    ($$SELECT kb_detach_agent('a0000000-0000-0000-0000-000000000001', 'private')$$),
    ($$SELECT kb_lexemes('A secret.', 'private')$$),
    ($$SELECT * FROM kb_highlight('A secret.', 'secrets', 'private')$$),
    ($$SELECT kb_grant('private', 'kb_test100_stranger', 'read')$$),
    ($$SELECT kb_revoke('private', 'kb_test100_reader', 'read')$$),
    ($$SELECT kb_drop('private')$$),
    ($$SELECT kb_create('mine', model => 'fake/test')$$),
    ($$SELECT kb_grant_admin('kb_test100_stranger')$$),
    ($$SELECT kb_revoke_admin('kb_test100_owner')$$),
    ($$TABLE kb_rag.knowledge_base$$),
    ($$TABLE kb_rag.agent_knowledge_base$$)
) c (call), error_of(call) e;
SELECT state FROM error_of(format($$SELECT * FROM kb_hybrid_search('secret', agent_id => %L)$$, :'private'));
SELECT format('%s %s', verb, relation) AS statement, e.state, e.message
FROM (VALUES ('source'), ('document'), ('chunk'), ('embedding'), ('keyword_segment'), ('keyword_run')) r (relation),
    (VALUES ('TABLE'), ('DELETE FROM')) v (verb), error_of(format('%s kb_private.%s', verb, relation)) e;
SELECT count(*) FROM kb_hybrid_search('secret');
SELECT count(*) FROM kb_list();
SELECT count(*) FROM kb_rag.status;
RESET ROLE;

-- Revoking takes effect at once, one privilege after the other, and reports privileges held in other ways.
SET ROLE kb_test100_admin;
SELECT kb_revoke('private', 'kb_test100_writer', 'write');
SELECT * FROM rights('kb_test100_writer');
SELECT kb_revoke('private', 'kb_test100_writer', 'read');
SELECT count(*) FROM rights('kb_test100_writer');
SELECT kb_grant('private', 'public', 'read');
SELECT * FROM rights('public');
SELECT kb_revoke('private', 'kb_test100_reader', 'read');
RESET ROLE;
SET ROLE kb_test100_stranger;
SELECT count(*) FROM kb_search('secret', 'private', 'keyword');
RESET ROLE;
SELECT kb_revoke('private', 'public', 'read');
SET ROLE kb_test100_reader;
SELECT state, message FROM error_of($$SELECT * FROM kb_search('secret', 'private')$$);
SELECT count(*) FROM kb_list();
RESET ROLE;
SET ROLE kb_test100_writer;
SELECT state, message FROM error_of($$SELECT kb_add('private', 'x')$$);
SELECT state, message FROM error_of($$INSERT INTO kb_private.document (content) VALUES ('x')$$);
RESET ROLE;
-- Only an administrator may empty the base. That privilege is revoked with 'admin'; the others remain.
SELECT kb_revoke('private', 'kb_test100_admin', 'admin');
SELECT * FROM rights('kb_test100_admin');
SET ROLE kb_test100_admin;
SELECT state, message FROM error_of($$TRUNCATE kb_private.document CASCADE$$);
SELECT state, message FROM error_of($$SELECT kb_grant('private', 'kb_test100_admin', 'admin')$$);
RESET ROLE;
SELECT kb_grant('private', 'kb_test100_admin', 'admin');
BEGIN;
SET LOCAL ROLE kb_test100_admin;
TRUNCATE kb_private.source CASCADE;
SELECT count(*) FROM kb_search('secret', 'private', 'keyword');
ROLLBACK;
-- Privileges that a role with the grant option has passed on are revoked with it.
GRANT USAGE ON SCHEMA kb_private TO kb_test100_writer WITH GRANT OPTION;
SET ROLE kb_test100_writer;
GRANT USAGE ON SCHEMA kb_private TO kb_test100_stranger;
RESET ROLE;
SELECT kb_revoke('private', 'kb_test100_writer', 'read');
SELECT count(*) FROM rights('kb_test100_stranger');
SELECT kb_revoke_admin('kb_test100_owner');
SET ROLE kb_test100_owner;
SELECT state, message FROM error_of($$SELECT kb_create('another', model => 'fake/test')$$);
SELECT count(*) FROM kb_list();
RESET ROLE;

-- An owner's malicious code on its tables runs as the owner, even when a superuser writes.
CREATE TABLE public.witness (who text, at text);
GRANT INSERT, SELECT ON public.witness TO PUBLIC;
SET ROLE kb_test100_owner;
CREATE FUNCTION kb_private.spy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO public.witness VALUES (current_user, TG_TABLE_NAME); RETURN NULL; END $$;
CREATE TRIGGER spy AFTER INSERT ON kb_private.chunk FOR EACH ROW EXECUTE FUNCTION kb_private.spy();
CREATE TRIGGER spy AFTER INSERT ON kb_private.embedding FOR EACH ROW EXECUTE FUNCTION kb_private.spy();
RESET ROLE;
INSERT INTO kb_private.document (content) VALUES ('A superuser writes.');
SELECT kb_add('private', 'A superuser adds.') IS NOT NULL AS added;
SELECT DISTINCT who, at FROM public.witness ORDER BY at;
-- It cannot become another role.
SET ROLE kb_test100_owner;
CREATE OR REPLACE FUNCTION kb_private.spy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN SET ROLE NONE; RETURN NULL; END $$;
RESET ROLE;
SELECT state, message FROM error_of($$SELECT kb_add('private', 'Trap.')$$);

-- Malicious operators and functions in the search path are not found.
SET ROLE kb_test100_owner;
DROP TRIGGER spy ON kb_private.chunk;
DROP TRIGGER spy ON kb_private.embedding;
DROP FUNCTION kb_private.spy;
RESET ROLE;
CREATE SCHEMA evil;
CREATE FUNCTION evil.contains(jsonb, jsonb) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR evil.@> (LEFTARG = jsonb, RIGHTARG = jsonb, FUNCTION = evil.contains);
CREATE FUNCTION evil.ts_rank(tsvector, tsquery, int) RETURNS real LANGUAGE sql AS 'SELECT 99::real';
CREATE TEMP TABLE chunk (id uuid);
SET search_path = evil, pg_temp, pg_catalog, public;
SELECT title, keyword_score < 9 AS real_rank FROM kb_search('secret', 'private', 'keyword', filter => '{"level": 2}');
RESET search_path;
DROP TABLE pg_temp.chunk;
DROP SCHEMA evil CASCADE;

SELECT kb_drop('private');
DROP TABLE public.witness;
DROP FUNCTION rights;
DROP ROLE kb_test100_owner, kb_test100_admin, kb_test100_reader, kb_test100_writer, kb_test100_stranger;
