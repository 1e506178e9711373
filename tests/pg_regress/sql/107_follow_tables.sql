-- Tables whose row security is followed: keys of every type, partitions, and what happens when they change.
SET client_min_messages = warning;
CREATE ROLE kb_regress_ida;
CREATE ROLE kb_regress_jim;
SELECT kb_create('keys', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_grant('keys', 'kb_regress_ida', 'read');

-- Keys of every type, read with settings that print them in another way. Half of the rows are visible.
CREATE TYPE mood AS ENUM ('sad', 'it''s "fine"');
CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0);
CREATE TABLE key (kind text PRIMARY KEY, rows text[]);
INSERT INTO key VALUES
    ('int', '{1,-2}'), ('bigint', '{1,9223372036854775807}'), ('uuid', '{a0000000-0000-0000-0000-000000000001,a0000000-0000-0000-0000-000000000002}'),
    ('text', ARRAY['a', E'it''s "b"\n\\']), ('varchar(9)', '{a,b}'), ('char(5)', '{a,bc}'), ('name', '{a,b}'), ('boolean', '{true,false}'),
    ('date', '{2024-02-03,0044-03-15 BC}'), ('timestamp', '{2024-02-03 04:05:06.789,infinity}'), ('timestamptz', '{2024-02-03 04:05:06+00,2024-07-03 04:05:06+00}'),
    ('time', '{04:05:06,04:05:07}'), ('timetz', '{04:05:06+01,04:05:06+02}'), ('interval', '{1 day,-1 mon -2 days +03:04:05}'), ('numeric(9,2)', '{1.50,-0.01}'),
    ('real', '{0.1,1e30}'), ('double precision', '{0.1,1e-300}'), ('bytea', '{\\xff00,\\x5c}'), ('mood', ARRAY['sad', 'it''s "fine"']), ('even', '{2,4}'),
    ('inet', '{10.0.0.1,10.0.0.0/8}'), ('oid', '{1,2}'), ('bit(3)', '{101,010}'), ('jsonb', ARRAY['{"a": 1}', '["b"]']), ('int[]', ARRAY['{1,2}', '{3}']),
    ('tstzrange', ARRAY['[2024-01-01 00:00:00+00,2024-01-02 00:00:00+00)', 'empty']);
CREATE FUNCTION attach_keys(number int, columns text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE t%s ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON t%1$s USING (seen); GRANT SELECT (%s) ON t%1$s TO kb_regress_ida', number, columns);
    PERFORM kb_attach(format('t%s', number)::regclass, 'keys', 'body');
END
$$;
DO $$
DECLARE
    k record;
BEGIN
    FOR k IN SELECT *, row_number() OVER () AS number FROM key LOOP
        EXECUTE format('CREATE TABLE t%s (k %s PRIMARY KEY, seen boolean, body text)', k.number, k.kind);
        EXECUTE format('INSERT INTO t%s SELECT r::%s, n = 2, %L || n FROM unnest($1) WITH ORDINALITY r (r, n)', k.number, k.kind, k.kind || ' ') USING k.rows;
        PERFORM attach_keys(k.number::int, 'k');
    END LOOP;
END
$$;
CREATE TABLE t101 (a text, b date, c int, seen boolean, body text, PRIMARY KEY (c, a, b));
INSERT INTO t101 VALUES ('x', '2024-02-03', 1, true, 'three columns 2'), ('x', '2024-02-03', 2, false, 'three columns 1'), ('it''s "y', '2024-02-03', 2, true, 'three columns 2 too');
SELECT attach_keys(101, 'a, b, c');
SET ROLE kb_regress_ida;
SET datestyle = 'German'; SET timezone = 'Asia/Tokyo'; SET intervalstyle = 'sql_standard'; SET bytea_output = 'escape'; SET extra_float_digits = -10;
SELECT content FROM kb_keys.document ORDER BY content COLLATE "C";
-- All candidates at once, as searches ask.
SELECT string_agg(content, ', ' ORDER BY content COLLATE "C") FROM kb_search('1 2 too int text uuid', 'keys', match_count => 100);
RESET datestyle; RESET timezone; RESET intervalstyle; RESET bytea_output; RESET extra_float_digits;
RESET ROLE;
SELECT kb_drop('keys');

-- One base for the rest. A document that its writers made for a followed source, with a key that is none, is hidden.
SELECT kb_create('rest', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_grant('rest', r, 'write') FROM unnest('{kb_regress_ida,kb_regress_jim}'::text[]) r;
CREATE TABLE note (id int PRIMARY KEY, tenant name, body text);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON note USING (tenant = current_user);
GRANT SELECT ON note TO kb_regress_ida, kb_regress_jim;
INSERT INTO note VALUES (1, 'kb_regress_ida', 'first of ida'), (2, 'kb_regress_jim', 'first of jim');
SELECT kb_attach('note', 'rest', 'body') AS source \gset
INSERT INTO kb_rest.document (source_id, source_key, content) SELECT :'source', key, 'odd ' || key FROM unnest('{x,99999999999999,"",3}'::text[]) key;
INSERT INTO kb_rest.document (source_id, content) VALUES (:'source', 'odd null');
INSERT INTO kb_rest.document (content, source_key) VALUES ('of nobody', '2');
CREATE VIEW seen WITH (security_invoker) AS
SELECT current_user::text AS role, (SELECT string_agg(content, ', ' ORDER BY content) FROM kb_search('first of odd moved ida jim nobody', 'rest', match_count => 100)) AS found,
    (SELECT string_agg(content, ', ' ORDER BY content) FROM kb_rest.document) AS read;
GRANT SELECT ON seen TO PUBLIC;
CREATE FUNCTION seen() RETURNS SETOF seen LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL ROLE kb_regress_ida; RETURN QUERY TABLE seen;
    SET LOCAL ROLE kb_regress_jim; RETURN QUERY TABLE seen;
    RESET ROLE;
END
$$;
SELECT * FROM seen();
SELECT kb_rag.row_is_visible(NULL, NULL), kb_rag.row_is_visible(NULL, 'x'), kb_rag.row_is_visible(gen_random_uuid(), '1') AS unknown;
-- Nobody writes documents of rows that it does not see.
SET ROLE kb_regress_ida;
SELECT state, message FROM error_of(format('INSERT INTO kb_rest.document (source_id, source_key, content) VALUES (%L, %L, %L)', :'source', 2, 'forged'));
WITH changed AS (UPDATE kb_rest.document SET content = 'forged' WHERE source_key = '2' AND source_id IS NOT NULL RETURNING 1) SELECT count(*) FROM changed;
INSERT INTO kb_rest.document (content) VALUES ('added by ida');
DELETE FROM kb_rest.document WHERE content = 'added by ida';
RESET ROLE;
-- A row that moves to another tenant.
UPDATE note SET tenant = 'kb_regress_jim', body = 'moved to jim' WHERE id = 1;
SELECT * FROM seen();
UPDATE note SET tenant = 'kb_regress_ida', body = 'first of ida' WHERE id = 1;
-- The policy of the table changes, and goes.
ALTER POLICY own ON note USING (true);
SELECT * FROM seen();
DROP POLICY own ON note;
SELECT * FROM seen();
CREATE POLICY own ON note USING (tenant = current_user);
ALTER TABLE note DISABLE ROW LEVEL SECURITY;
SELECT * FROM seen();
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
-- Names may change.
CREATE SCHEMA moved;
GRANT USAGE ON SCHEMA moved TO kb_regress_ida, kb_regress_jim;
ALTER TABLE note RENAME TO "note too"; ALTER TABLE "note too" RENAME id TO "the id"; ALTER TABLE "note too" SET SCHEMA moved;
SELECT * FROM seen();
ALTER TABLE moved."note too" SET SCHEMA public; ALTER TABLE "note too" RENAME TO note; ALTER TABLE note RENAME "the id" TO id;
SELECT kb_rename('rest', 'remainder'), kb_rename('remainder', 'rest');
ALTER SCHEMA kb_rest RENAME TO kb_other;
SELECT string_agg(content, ', ' ORDER BY content) FROM kb_other.document;
ALTER SCHEMA kb_other RENAME TO kb_rest;
SELECT * FROM seen();
-- Another key: hidden from all but the owner, until it is attached again.
ALTER TABLE note ALTER id TYPE bigint;
SELECT * FROM seen();
SELECT note FROM kb_rag.status WHERE knowledge_base = 'rest';
SELECT kb_attach('note', 'rest', 'body') = :'source' AS same;
SELECT * FROM seen();
ALTER TABLE note DROP CONSTRAINT note_pkey;
SELECT * FROM seen();
ALTER TABLE note ADD PRIMARY KEY (id);
SELECT * FROM seen();
-- Without its triggers.
DO $$ DECLARE t text; BEGIN FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = 'note'::regclass AND NOT tgisinternal LOOP EXECUTE format('DROP TRIGGER %I ON note', t); END LOOP; END $$;
SELECT * FROM seen();
SELECT kb_attach('note', 'rest', 'body') = :'source' AS same;
-- The choices, and back.
SELECT state, message, detail, hint FROM error_of($$SELECT kb_attach('note', 'rest', 'body', row_security => 'refuse')$$);
SELECT * FROM seen();
SELECT kb_attach('note', 'rest', 'body', row_security => 'ignore') = :'source' AS same;
SELECT * FROM seen();
SELECT relname, relrowsecurity, (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid) AS policies FROM pg_class c WHERE relnamespace = 'kb_rest'::regnamespace AND relkind = 'r' AND (relrowsecurity OR relname = 'document');
SELECT note FROM kb_rag.status WHERE knowledge_base = 'rest';
SELECT kb_attach('note', 'rest', 'body', row_security => 'follow') = :'source' AS same;
SELECT * FROM seen();
-- Documents do not stay without the table, not even where row security is off.
SELECT state, message, hint FROM error_of($$SELECT kb_detach('note', 'rest')$$);
ALTER TABLE note DISABLE ROW LEVEL SECURITY;
SELECT state, message FROM error_of($$SELECT kb_detach('note', 'rest')$$);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
-- A second table; the policies stay for it.
CREATE TABLE other (id int PRIMARY KEY, tenant name, body text);
ALTER TABLE other ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON other USING (tenant = current_user);
GRANT SELECT (id) ON other TO kb_regress_ida, kb_regress_jim;
INSERT INTO other VALUES (1, 'kb_regress_jim', 'second of jim'), (2, 'kb_regress_ida', 'second of ida');
SELECT kb_attach('other', 'rest', 'body') AS other \gset
SELECT * FROM seen();
SELECT kb_detach('note', 'rest', delete_documents => true);
SELECT * FROM seen();
-- The table is dropped: hidden, until its source is deleted.
DROP TABLE other;
SELECT * FROM seen();
SELECT note FROM kb_rag.status WHERE knowledge_base = 'rest';
DELETE FROM kb_rest.source WHERE id = :'other';
SELECT kb_reconcile('rest') IS NOT NULL AS reconciled;
SELECT * FROM seen();
SELECT count(*) FROM pg_policies WHERE schemaname = 'kb_rest';

-- Without row security nothing changes, until it is enabled and the table attached again.
ALTER TABLE note DISABLE ROW LEVEL SECURITY;
SELECT kb_attach('note', 'rest', 'body') IS NOT NULL AS attached;
SELECT * FROM seen();
SELECT count(*) FROM pg_policies WHERE schemaname = 'kb_rest';
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
SELECT state, message, hint FROM error_of($$SELECT * FROM seen()$$);
SELECT kb_attach('note', 'rest', 'body') IS NOT NULL AS attached;
SELECT * FROM seen();
-- Policies of the owner restrict, too. Where there are some, row security stays when the last table goes.
CREATE POLICY late ON kb_rest.document AS RESTRICTIVE USING (content <> 'first of ida');
SELECT * FROM seen();
SELECT kb_detach('note', 'rest', delete_documents => true);
SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'kb_rest' ORDER BY 1, 2;
SELECT * FROM seen();
DROP POLICY late ON kb_rest.document;
SELECT kb_attach('note', 'rest', 'body') IS NOT NULL AS attached;
SELECT * FROM seen();
SELECT kb_detach('note', 'rest', delete_documents => true);
SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'kb_rest' ORDER BY 1, 2;
-- Those that were there before stay as they are.
ALTER TABLE kb_rest.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY early ON kb_rest.document USING (content LIKE 'first%');
SELECT kb_attach('note', 'rest', 'body') IS NOT NULL AS attached;
SELECT * FROM seen();
SELECT kb_detach('note', 'rest', delete_documents => true);
SELECT tablename, policyname, (SELECT relrowsecurity FROM pg_class WHERE oid = format('kb_rest.%I', tablename)::regclass) AS secured FROM pg_policies WHERE schemaname = 'kb_rest' ORDER BY 1, 2;
DROP POLICY early ON kb_rest.document;
ALTER TABLE kb_rest.document DISABLE ROW LEVEL SECURITY;

-- Partitions: readers are asked for the table as a whole.
CREATE TABLE root (id int, region text, tenant name, body text, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE middle PARTITION OF root FOR VALUES IN ('a', 'b') PARTITION BY LIST (region);
CREATE TABLE leaf (region text NOT NULL, tenant name, id int NOT NULL, body text);
ALTER TABLE middle ATTACH PARTITION leaf FOR VALUES IN ('a');
CREATE TABLE second PARTITION OF middle FOR VALUES IN ('b');
INSERT INTO root VALUES (1, 'a', 'kb_regress_ida', 'first of ida in a'), (1, 'b', 'kb_regress_jim', 'first of jim in b');
ALTER TABLE root ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON root USING (tenant = current_user);
GRANT SELECT (id, region) ON root TO kb_regress_ida, kb_regress_jim;
SELECT kb_attach(t, 'rest', 'body') IS NOT NULL AS attached FROM unnest('{root}'::regclass[]) t;
SELECT * FROM seen();
INSERT INTO leaf VALUES ('a', 'kb_regress_jim', 2, 'first of jim in a');
SELECT * FROM seen();
SELECT kb_detach('root', 'rest', delete_documents => true), kb_attach('leaf', 'rest', 'body') IS NOT NULL AS leaf, kb_attach('middle', 'rest', 'body') IS NOT NULL AS middle;
SELECT * FROM seen();
SELECT kb_detach('leaf', 'rest', delete_documents => true), kb_detach('middle', 'rest', delete_documents => true);
-- Only a partition has row security: it holds in statements that name it, as PostgreSQL has it, not in those on the root.
ALTER TABLE root DISABLE ROW LEVEL SECURITY;
ALTER TABLE leaf ENABLE ROW LEVEL SECURITY;
SELECT kb_attach('leaf', 'rest', 'body') IS NOT NULL AS attached;
SELECT * FROM seen();
REVOKE SELECT (id, region) ON root FROM kb_regress_jim;
SELECT * FROM seen();
SELECT kb_detach('leaf', 'rest', delete_documents => true);
-- A partition with a key of its own: rows of others may have the same.
CREATE TABLE loose (id int, region text, tenant name, body text) PARTITION BY LIST (region);
CREATE TABLE loose_a PARTITION OF loose FOR VALUES IN ('a');
CREATE TABLE loose_b PARTITION OF loose FOR VALUES IN ('b');
ALTER TABLE loose_a ADD PRIMARY KEY (id);
INSERT INTO loose VALUES (1, 'a', 'kb_regress_jim', 'first of jim in a'), (1, 'b', 'kb_regress_ida', 'first of ida in b');
ALTER TABLE loose ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON loose USING (tenant = current_user);
GRANT SELECT ON loose TO kb_regress_ida, kb_regress_jim;
SELECT kb_attach('loose_a', 'rest', 'body') IS NOT NULL AS attached;
SELECT * FROM seen();
GRANT SELECT ON loose_a TO kb_regress_ida, kb_regress_jim;
ALTER TABLE loose_a ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON loose_a USING (tenant = current_user);
SELECT * FROM seen();

-- The model changes: the new table of vectors has the policies.
SELECT kb_configure('rest', model => 'fake/other');
CALL kb_work();
SELECT model, model_change FROM kb_rag.status WHERE knowledge_base = 'rest';
SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'kb_rest' AND tablename LIKE 'embedding%' ORDER BY 1, 2;
SELECT * FROM seen();
DROP FUNCTION seen, attach_keys;
DROP VIEW seen;
SELECT kb_drop('rest');
DROP OWNED BY kb_regress_ida, kb_regress_jim;
DROP ROLE kb_regress_ida, kb_regress_jim;
