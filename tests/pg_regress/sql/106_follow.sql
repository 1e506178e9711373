-- Attached tables whose row security is followed: a document is visible to those who see its row.
SET client_min_messages = warning;
CREATE ROLE kb_regress_fay;
CREATE ROLE kb_regress_gus;
CREATE ROLE kb_regress_hal;
CREATE SCHEMA app;
GRANT USAGE ON SCHEMA app TO kb_regress_fay, kb_regress_gus, kb_regress_hal;
CREATE TABLE app.note (id int PRIMARY KEY, tenant text NOT NULL, body text NOT NULL);
INSERT INTO app.note VALUES (1, 'kb_regress_fay', 'A heron waits at the river.'), (2, 'kb_regress_gus', 'A secret heron.'), (3, 'kb_regress_fay', 'Sand and a river.');
-- The reader's search_path decides what the policy finds, as in a statement of its own.
CREATE TABLE app.member (role name, tenant text);
INSERT INTO app.member SELECT n, n FROM unnest('{kb_regress_fay,kb_regress_gus}'::name[]) n;
GRANT SELECT ON app.member TO PUBLIC;
CREATE FUNCTION app.is_mine(tenant text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN EXISTS (SELECT FROM member m WHERE m.role = current_user AND m.tenant = is_mine.tenant); END $$;
ALTER TABLE app.note ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON app.note USING (app.is_mine(tenant));
GRANT SELECT (id) ON app.note TO kb_regress_fay, kb_regress_gus;

SELECT kb_create('notes', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('notes', 'A heron of nobody.', title => 'added') IS NOT NULL AS added;
INSERT INTO kb_notes.source (id, kind, location) VALUES ('d0000000-0000-0000-0000-000000000001', 'directory', '/home');
INSERT INTO kb_notes.document (source_id, source_key, content) VALUES ('d0000000-0000-0000-0000-000000000001', '1', 'A heron of a directory.');
SELECT kb_attach('app.note', 'notes', 'body') IS NOT NULL AS attached;
SELECT location, row_security, documents FROM kb_rag.source_status;
SELECT note FROM kb_rag.status;
SELECT kb_grant('notes', r, 'read') FROM unnest('{kb_regress_fay,kb_regress_gus,kb_regress_hal}'::text[]) r;

SELECT tablename, policyname, permissive, roles, cmd FROM pg_policies WHERE schemaname = 'kb_notes' ORDER BY 1, 2;
CREATE VIEW seen AS SELECT current_user::text AS role, (SELECT string_agg(content, ' | ' ORDER BY content) FROM kb_search('heron river', 'notes', match_count => 100)) AS found;
GRANT SELECT ON seen TO PUBLIC;
SET search_path = public, app;
SET ROLE kb_regress_fay;
TABLE seen;
SELECT content FROM kb_notes.document ORDER BY content;
SELECT content FROM kb_notes.chunk ORDER BY content;
SELECT count(*) FROM kb_notes.embedding;
SELECT kind FROM kb_notes.source;
RESET ROLE;
SET ROLE kb_regress_gus;
TABLE seen;
RESET ROLE;
-- No privilege on the key: no error, one notice.
SET client_min_messages = notice;
SET ROLE kb_regress_hal;
TABLE seen;
TABLE seen;
RESET ROLE;
SET client_min_messages = warning;
TABLE seen;
RESET search_path;
SET ROLE kb_regress_fay;
SELECT state, message FROM error_of('TABLE seen');
RESET ROLE;
SELECT kb_drop('notes');
DROP VIEW seen;
DROP SCHEMA app CASCADE;
DROP ROLE kb_regress_fay, kb_regress_gus, kb_regress_hal;
