-- kb_drop names what depends on the base, and drops what only belongs to it.
\set VERBOSITY default
SET client_min_messages = warning;
SELECT kb_create('held', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
CREATE SCHEMA reports;
CREATE VIEW reports.titles AS SELECT title FROM kb_held.document;
SELECT * FROM error_of($$SELECT kb_drop('held')$$);
-- A hint names three at most, the detail more.
CREATE VIEW reports.of_titles AS SELECT * FROM reports.titles;
CREATE MATERIALIZED VIEW reports.kept AS SELECT d.title, c.content FROM kb_held.document d JOIN kb_held.chunk c ON c.document_id = d.id;
CREATE TABLE reports.mark (document_id uuid REFERENCES kb_held.document, stars int);
CREATE TABLE reports.child () INHERITS (kb_held.source);
CREATE TABLE reports.typed (d kb_held.document, n int);
CREATE FUNCTION reports.newest(n int DEFAULT 3) RETURNS SETOF kb_held.document LANGUAGE sql BEGIN ATOMIC SELECT * FROM kb_held.document ORDER BY id DESC LIMIT n; END;
CREATE TABLE reports.guarded (id uuid);
CREATE POLICY known ON reports.guarded USING (id IN (SELECT id FROM kb_held.document));
CREATE RULE logged AS ON INSERT TO reports.guarded DO ALSO DELETE FROM kb_held.document WHERE id = new.id;
CREATE TABLE kb_held.mine (x int PRIMARY KEY);
CREATE SEQUENCE kb_held.numbers;
SELECT * FROM error_of($$SELECT kb_drop('held')$$) \gx
SELECT name, count(*) FROM kb_list() JOIN pg_class c ON c.relnamespace = 'kb_held'::regnamespace AND c.relkind = 'r' GROUP BY name;

DROP SCHEMA reports CASCADE;
SELECT hint FROM error_of($$SELECT kb_drop('held')$$);
DROP TABLE kb_held.mine;
SELECT hint FROM error_of($$SELECT kb_drop('held')$$);
DROP SEQUENCE kb_held.numbers;

-- None of these keeps a base.
CREATE INDEX own ON kb_held.document (title);
CREATE STATISTICS kb_held.both ON status, mime_type FROM kb_held.document;
ALTER TABLE kb_held.document ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY, ADD COLUMN serial bigserial;
ALTER TABLE kb_held.chunk ADD COLUMN source uuid REFERENCES kb_held.source;
ALTER TABLE kb_held.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON kb_held.document USING (source_id IN (SELECT id FROM kb_held.source));
CREATE RULE own AS ON DELETE TO kb_held.setting DO ALSO DELETE FROM kb_held.source;
SET client_min_messages = error;
CREATE PUBLICATION held FOR TABLE kb_held.document, TABLES IN SCHEMA kb_held;
SET client_min_messages = warning;
ALTER DEFAULT PRIVILEGES IN SCHEMA kb_held GRANT SELECT ON TABLES TO PUBLIC;
CREATE TABLE articles (id int PRIMARY KEY, body text);
SELECT kb_attach('articles', 'held', 'body') IS NOT NULL AS attached;
SELECT kb_drop('held');
SELECT to_regnamespace('kb_held');
DROP TABLE articles;
DROP PUBLICATION held;
