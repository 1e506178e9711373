-- kb_attach: documents made from the rows of a table, in sync with it.
SET client_min_messages = warning;
SELECT kb_create('attached', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20, chunk_strategy => 'text') IS NOT NULL AS created;
CREATE VIEW documents AS SELECT source_key, title, content, metadata FROM kb_attached.document ORDER BY source_key COLLATE "C", content;
CREATE TABLE articles (id int PRIMARY KEY, headline text, body text, topic text, views int NOT NULL DEFAULT 0);
INSERT INTO articles VALUES (1, 'Tea', 'Tea needs four minutes.', 'drinks'), (2, 'Bread', 'Bread needs an hour.', 'food'), (3, 'Draft', NULL, 'food'), (4, 'Empty', '', 'food');

-- Existing rows are read; rows without text become no documents.
SELECT kb_attach('articles', 'attached', content => 'body', title => 'headline', metadata => '{topic}', wait => true) AS source \gset
SELECT * FROM documents;
SELECT kind, location, options, status, error_message, last_synced_at IS NOT NULL AS synced FROM kb_attached.source;
SELECT knowledge_base, source_id = :'source' AS same, location, status, error_message, documents, rows_read, rows_before FROM kb_rag.source_status;
SELECT tgname ~ '^kb_rag_attached_(insert|update|delete|truncate)_[0-9a-f]{8}$' AS named, tgtype & 1 = 0 AS for_statements FROM pg_trigger WHERE tgrelid = 'articles'::regclass ORDER BY tgname;

-- Results are joined to the table by the key.
SELECT a.headline, a.views, r.source FROM kb_search('four minutes', 'attached', 'keyword') r JOIN articles a ON a.id = (r.metadata #>> '{key,id}')::bigint;
SELECT title FROM kb_search('needs', 'attached', 'keyword', filter => '{"topic": "food"}');
SELECT title FROM kb_search('needs', 'attached', 'keyword', source_type => 'table') ORDER BY title;
SELECT DISTINCT source_type, status FROM kb_attached.document;
-- The key of a row is not a path; that of a file in a directory is.
INSERT INTO kb_attached.source (kind, location) VALUES ('directory', '/srv/notes') RETURNING id AS directory \gset
INSERT INTO kb_attached.document (source_id, source_key, content) VALUES (:'directory', 'a/b.txt', 'A text of a file.');
SELECT c.metadata FROM kb_attached.chunk c JOIN kb_attached.document d ON d.id = c.document_id ORDER BY d.source_key COLLATE "C";
DELETE FROM kb_attached.source WHERE id = :'directory';

-- Every way to write.
INSERT INTO articles VALUES (5, 'Rice', 'Rice needs twelve minutes.', 'food'), (6, NULL, 'Untitled text.', NULL);
COPY articles (id, headline, body) FROM stdin;
7	Soup	Soup needs a pot.
8	Void	\N
\.
INSERT INTO articles VALUES (7, 'Soup', 'Soup needs a spoon.', 'food'), (9, 'Salt', 'Salt needs nothing.', 'food')
ON CONFLICT (id) DO UPDATE SET body = excluded.body, topic = excluded.topic;
INSERT INTO articles VALUES (9, 'No', 'Nobody reads this.') ON CONFLICT DO NOTHING;
MERGE INTO articles a USING (VALUES (9, 'Salt needs a mill.'), (10, 'Oil needs a pan.'), (6, NULL)) n (id, body) ON a.id = n.id
WHEN MATCHED AND n.body IS NULL THEN DELETE
WHEN MATCHED THEN UPDATE SET body = n.body
WHEN NOT MATCHED THEN INSERT (id, body) VALUES (n.id, n.body);
UPDATE articles SET body = 'Drafts become texts.' WHERE id = 3;
UPDATE articles SET headline = 'Green tea' WHERE id = 1;
UPDATE articles SET topic = 'bakery' WHERE id = 2;
UPDATE articles SET body = '' WHERE id = 10;
DELETE FROM articles WHERE id = 5;
SELECT * FROM documents;
SELECT kb_reconcile('attached');

-- Only a change of a column in use writes anything; an unchanged text keeps its vectors.
CREATE FUNCTION written() RETURNS TABLE (source_key text, document text, chunk text, embedding text) LANGUAGE sql AS $$
    SELECT d.source_key, d.id::text || d.xmin, string_agg(c.id::text || c.xmin, ',' ORDER BY c.ordinal), string_agg(e.chunk_id::text || e.xmin, ',' ORDER BY c.ordinal)
    FROM kb_attached.document d JOIN kb_attached.chunk c ON c.document_id = d.id LEFT JOIN kb_attached.embedding e ON e.chunk_id = c.id GROUP BY d.id
$$;
CREATE TABLE before AS SELECT * FROM written();
UPDATE articles SET views = views + 1;
UPDATE articles SET body = body, headline = headline, topic = topic;
SELECT count(*) AS rewritten FROM (TABLE before EXCEPT SELECT * FROM written()) w;
UPDATE articles SET topic = 'other' WHERE id IN (1, 2);
SELECT b.source_key, b.document <> w.document AS document, b.embedding IS DISTINCT FROM w.embedding AS embedding
FROM before b JOIN written() w USING (source_key) WHERE b <> w ORDER BY 1;
DROP TABLE before;

-- A new primary key moves the document with its chunks and vectors, even if rows swap keys.
CREATE TABLE before AS SELECT d.id, d.content, d.source_key, e.chunk_id, e.xmin AS embedded
    FROM kb_attached.document d JOIN kb_attached.chunk c ON c.document_id = d.id JOIN kb_attached.embedding e ON e.chunk_id = c.id;
CREATE FUNCTION moved() RETURNS TABLE (was text, is_now text, key text, same_vector boolean) LANGUAGE sql AS $$
    SELECT b.source_key, d.source_key, d.metadata #>> '{key,id}', e.xmin = b.embedded AND c.content = b.content
    FROM before b LEFT JOIN kb_attached.document d ON d.id = b.id LEFT JOIN kb_attached.chunk c ON c.id = b.chunk_id
    LEFT JOIN kb_attached.embedding e ON e.chunk_id = b.chunk_id ORDER BY b.source_key::int
$$;
UPDATE articles SET id = 100 WHERE id = 1;
SELECT * FROM moved() WHERE was <> is_now;
ALTER TABLE articles DROP CONSTRAINT articles_pkey, ADD PRIMARY KEY (id) DEFERRABLE;
UPDATE articles SET id = CASE id WHEN 2 THEN 3 ELSE 2 END WHERE id IN (2, 3);
UPDATE articles SET id = id + 1;
SELECT * FROM moved();
SELECT * FROM documents;
SELECT kb_reconcile('attached');
DROP TABLE before;

-- Changes made by the user's triggers in between count.
CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE articles SET body = upper(body) WHERE id = NEW.id; RETURN NULL; END $$;
CREATE TRIGGER a_shout AFTER INSERT ON articles FOR EACH ROW EXECUTE FUNCTION shout();
CREATE TRIGGER z_shout AFTER INSERT ON articles FOR EACH ROW EXECUTE FUNCTION shout();
INSERT INTO articles VALUES (50, 'Loud', 'a quiet text');
WITH gone AS (DELETE FROM articles WHERE id = 50 RETURNING *) INSERT INTO articles SELECT 51, headline, body || ' again' FROM gone;
WITH a AS (UPDATE articles SET body = 'both' WHERE id = 51) UPDATE articles SET views = 0 WHERE id = 4;
SELECT content FROM documents WHERE title = 'Loud';
DROP TRIGGER a_shout ON articles;
DROP TRIGGER z_shout ON articles;

-- A rolled-back transaction leaves nothing.
BEGIN;
INSERT INTO articles VALUES (60, 'Gone', 'Taken back.');
SAVEPOINT s;
DELETE FROM articles;
ROLLBACK TO s;
SELECT count(*) > 5 AS still_there FROM documents;
ROLLBACK;
SELECT count(*) FROM documents WHERE title = 'Gone';

-- Columns are added, dropped and renamed; the table too.
ALTER TABLE articles ADD COLUMN note text, DROP COLUMN views;
ALTER TABLE articles RENAME COLUMN body TO contents;
ALTER TABLE articles RENAME COLUMN topic TO subject;
ALTER TABLE articles RENAME TO "Our ""Articles""";
CREATE SCHEMA "Odd Schema";
ALTER TABLE "Our ""Articles""" SET SCHEMA "Odd Schema";
INSERT INTO "Odd Schema"."Our ""Articles""" (id, headline, contents, subject) VALUES (70, 'Renamed', 'Names do not matter.', 'names');
SELECT content, metadata FROM documents WHERE source_key = '70';
SELECT location, status FROM kb_rag.source_status;
SELECT location FROM kb_attached.source;
SELECT kb_reconcile('attached');
ALTER TABLE "Odd Schema"."Our ""Articles""" SET SCHEMA public;
ALTER TABLE "Our ""Articles""" RENAME TO articles;
-- Without a metadata column or the title, documents are still made.
ALTER TABLE articles DROP COLUMN subject, DROP COLUMN headline;
INSERT INTO articles (id, contents) VALUES (71, 'Neither title nor topic.');
SELECT title, content, metadata FROM documents WHERE source_key = '71';
-- Without the text column, writers continue, and the source shows what is wrong.
ALTER TABLE articles DROP COLUMN contents;
INSERT INTO articles (id) VALUES (72);
DELETE FROM articles WHERE id = 72;
SELECT status, error_message, documents FROM kb_rag.source_status;
SELECT status, error_message FROM kb_attached.source;
SELECT kb_reconcile('attached');
-- Attached again, the table is followed again.
ALTER TABLE articles ADD COLUMN body text;
UPDATE articles SET body = 'Body ' || id;
SELECT kb_attach('articles', 'attached', 'body', source_type => 'article') = :'source' AS same_source;
SELECT source_key, source_type, title, content, metadata FROM kb_attached.document ORDER BY source_key::int;
SELECT location, status, error_message, documents, rows_read, rows_before FROM kb_rag.source_status;
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = 'articles'::regclass AND NOT tgisinternal;

-- TRUNCATE, and triggers that were off.
TRUNCATE articles;
SELECT count(*) FROM kb_attached.document;
ALTER TABLE articles DISABLE TRIGGER USER;
INSERT INTO articles (id, body) VALUES (1, 'One'), (2, 'Two'), (3, NULL);
SELECT status, error_message ~ '^disabled triggers: kb_rag_attached_' AS says_which FROM kb_rag.source_status;
ALTER TABLE articles ENABLE TRIGGER USER;
SELECT kb_reconcile('attached');
SELECT kb_reconcile('attached');
ALTER TABLE articles DISABLE TRIGGER USER;
UPDATE articles SET body = 'Two, changed' WHERE id = 2;
UPDATE articles SET id = 4 WHERE id = 1;
ALTER TABLE articles ENABLE TRIGGER USER;
UPDATE kb_attached.document SET title = 'by hand' WHERE source_key = '2';
SELECT kb_reconcile('attached');
SELECT * FROM documents;

-- kb_detach: the documents stay, and are used when the table is attached again.
SELECT kb_detach('articles', 'attached');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'articles'::regclass AND NOT tgisinternal;
SELECT count(*) FROM kb_rag.source_status;
SELECT status, (SELECT count(*) FROM kb_attached.document) AS documents FROM kb_attached.source;
DELETE FROM articles WHERE id = 4;
SELECT kb_reconcile('attached');
CREATE TABLE before AS SELECT id FROM kb_attached.document WHERE source_key = '2';
SELECT kb_attach('articles', 'attached', 'body', source_type => 'article') = :'source' AS same_source;
SELECT count(*) AS documents, bool_and(id IN (TABLE before)) AS same FROM kb_attached.document;
SELECT kb_detach('articles', 'attached', delete_documents => true);
SELECT (SELECT count(*) FROM kb_attached.source) AS sources, (SELECT count(*) FROM kb_attached.document) AS documents;
DROP TABLE before, articles;

-- Keys of any type: uuid, text, several columns, dates; any names; any types of columns.
CREATE TABLE "Strange Table" ("The Key" uuid PRIMARY KEY, "key" text, "Text {schema}" jsonb, "a""b" numeric);
INSERT INTO "Strange Table" VALUES ('10000000-0000-0000-0000-000000000001', 'k', '{"text": "json"}', 1.50);
SELECT kb_attach('"Strange Table"', 'attached', content => 'Text {schema}', title => 'key', metadata => ARRAY['a"b']) IS NOT NULL AS attached;
INSERT INTO "Strange Table" VALUES ('10000000-0000-0000-0000-000000000002', NULL, '["list"]', NULL);
SELECT * FROM documents;
SELECT kb_detach('"Strange Table"', 'attached', true);
CREATE TABLE visits (place text, "on" date, at timestamptz, note varchar(40), PRIMARY KEY (place, "on", at));
SET timezone = 'Asia/Tokyo';
SET datestyle = 'German';
INSERT INTO visits VALUES ('Rome, "old"', '2024-02-01', '2024-02-01 10:00+00', 'Walls'), ('Oslo', '2024-03-01', '2024-03-01 10:00+00', 'Water');
SELECT kb_attach('visits', 'attached', 'note') IS NOT NULL AS attached;
RESET timezone;
RESET datestyle;
UPDATE visits SET note = 'Fjord' WHERE place = 'Oslo';
UPDATE visits SET place = 'Bergen' WHERE place = 'Oslo';
SELECT * FROM documents;
SELECT v.note FROM kb_search('fjord', 'attached', 'keyword') r
JOIN visits v ON (v.place, v."on", v.at) = (r.metadata #>> '{key,place}', (r.metadata #>> '{key,on}')::date, (r.metadata #>> '{key,at}')::timestamptz);
SELECT kb_reconcile('attached');
DELETE FROM visits WHERE place = 'Bergen';
SELECT source_key FROM documents;
SELECT kb_detach('visits', 'attached', true);
DROP TABLE visits, "Strange Table";

-- Generated columns and domains.
CREATE DOMAIN slug AS text CHECK (VALUE ~ '^[a-z]+$');
CREATE TABLE pages (name slug PRIMARY KEY, a text, b text, whole text GENERATED ALWAYS AS (a || ' and ' || b) STORED);
SELECT kb_attach('pages', 'attached', 'whole') IS NOT NULL AS attached;
INSERT INTO pages (name, a, b) VALUES ('one', 'salt', 'pepper');
UPDATE pages SET b = 'vinegar';
SELECT * FROM documents;
SELECT kb_reconcile('attached');
SELECT kb_detach('pages', 'attached', true);
DROP TABLE pages;

-- Partitions: written directly, added later, and rows that move.
CREATE TABLE logs (region text, id int, body text, PRIMARY KEY (region, id)) PARTITION BY LIST (region);
CREATE TABLE logs_north PARTITION OF logs FOR VALUES IN ('north');
CREATE TABLE logs_south (extra_not_there int, id int NOT NULL, body text, region text NOT NULL);
ALTER TABLE logs_south DROP COLUMN extra_not_there;
ALTER TABLE logs ATTACH PARTITION logs_south FOR VALUES IN ('south');
INSERT INTO logs VALUES ('north', 1, 'Snow'), ('south', 1, 'Sun');
SELECT kb_attach('logs', 'attached', 'body') IS NOT NULL AS attached;
SELECT * FROM documents;
CREATE TABLE logs_east PARTITION OF logs FOR VALUES IN ('east') PARTITION BY RANGE (id);
CREATE TABLE logs_east_1 PARTITION OF logs_east FOR VALUES FROM (1) TO (100);
INSERT INTO logs VALUES ('north', 2, 'Ice'), ('east', 1, 'Rain');
INSERT INTO logs_south (region, id, body) VALUES ('south', 2, 'Sand');
INSERT INTO logs_east_1 VALUES ('east', 2, 'Wind');
UPDATE logs_east SET body = 'Storm' WHERE id = 2;
DELETE FROM logs_north WHERE id = 1;
UPDATE logs SET region = 'south', id = 3 WHERE region = 'north';
UPDATE logs SET body = body;
SELECT * FROM documents;
SELECT kb_reconcile('attached');
TRUNCATE logs_south;
SELECT source_key FROM documents;
-- A partition added later has no trigger for TRUNCATE until kb_reconcile creates one.
CREATE TABLE logs_west PARTITION OF logs FOR VALUES IN ('west');
INSERT INTO logs VALUES ('west', 1, 'Dust');
TRUNCATE logs_west;
SELECT source_key FROM documents;
SELECT kb_reconcile('attached');
SELECT source_key FROM documents;
INSERT INTO logs VALUES ('west', 7, 'Fog'), ('north', 7, 'Hail');
TRUNCATE logs_west, logs_east;
SELECT source_key FROM documents;
TRUNCATE logs;
SELECT count(*) FROM documents;
-- A partition by itself is followed too, through the table that it belongs to.
SELECT kb_detach('logs', 'attached', true);
SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relname ~ '^logs' AND t.tgname ~ '^kb_rag';
SELECT kb_attach('logs_north', 'attached', 'body') IS NOT NULL AS attached;
INSERT INTO logs VALUES ('north', 8, 'Frost'), ('south', 8, 'Heat');
SELECT source_key, content FROM documents;
SELECT kb_detach('logs_north', 'attached', true);

-- A table may be attached to several bases.
SELECT kb_create('second', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
SELECT kb_attach('notes', 'attached', 'body') IS NOT NULL AND kb_attach('notes', 'second', 'body') IS NOT NULL AS attached;
INSERT INTO notes (body) VALUES ('Shared');
SELECT knowledge_base, location, documents FROM kb_rag.source_status ORDER BY 1;
-- The id of another base's source, which every role can read, takes nothing from it.
CREATE TABLE mine (id int PRIMARY KEY, body text);
INSERT INTO kb_second.source (id, kind, location) SELECT id, 'table', 'public.mine' FROM kb_attached.source WHERE location = 'public.notes';
SELECT kb_attach('mine', 'second', 'body') NOT IN (SELECT id FROM kb_attached.source) AS other_source;
UPDATE notes SET body = 'Still shared';
SELECT content FROM documents;
SELECT knowledge_base, location, status, documents FROM kb_rag.source_status ORDER BY 1, 2;
DROP TABLE mine;
-- kb_drop drops the triggers; what DROP SCHEMA leaves does not prevent writing.
SELECT kb_drop('second');
INSERT INTO notes (body) VALUES ('After kb_drop');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'notes'::regclass;
SELECT kb_create('third', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_attach('notes', 'third', 'body') IS NOT NULL AS attached;
DROP SCHEMA kb_third CASCADE;
INSERT INTO notes (body) VALUES ('After DROP SCHEMA');
SELECT kb_drop('third');
UPDATE notes SET body = body || '.';
SELECT count(*) FROM documents;
-- A deleted source, and a dropped table.
DELETE FROM kb_attached.source;
INSERT INTO notes (body) VALUES ('Nobody wants this');
SELECT status, error_message FROM kb_rag.source_status;
SELECT kb_reconcile('attached');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'notes'::regclass;
SELECT kb_attach('notes', 'attached', 'body') IS NOT NULL AS attached;
DROP TABLE notes;
SELECT location, status, error_message, documents FROM kb_rag.source_status;
SELECT kb_reconcile('attached');
SELECT location, status, error_message FROM kb_attached.source;
DELETE FROM kb_attached.source;
SELECT kb_reconcile('attached');
SELECT count(*) FROM kb_rag.source_status;

-- Long tables are read by workers (here by hand), a batch at a time.
SET kb_rag.workers = 0;
CREATE TABLE long (id int PRIMARY KEY, body text);
INSERT INTO long SELECT n, 'Text ' || n FROM generate_series(1, 1200) n;
-- Counted, whatever the statistics say.
SELECT kb_attach('long', 'attached', 'body') IS NOT NULL AS attached;
SELECT status, documents, rows_read, rows_before, last_synced_at IS NULL AS not_yet, rows_per_second > 0 AS pace, seconds_to_go > 0 AS rest FROM kb_rag.source_status;
DELETE FROM long WHERE id IN (1, 1000);
UPDATE long SET body = 'Changed' WHERE id IN (2, 1001);
INSERT INTO long VALUES (0, 'First'), (2000, 'Last');
CALL kb_work();
SELECT status, documents, rows_read >= 1198 AS read, rows_read = rows_before AS all_read, rows_per_second, seconds_to_go FROM kb_rag.source_status;
SELECT count(*), bool_and(d.content = l.body) AS same FROM kb_attached.document d JOIN long l ON l.id = d.source_key::int;
SELECT kb_reconcile('attached');
SELECT kb_detach('long', 'attached', true);
DROP TABLE long;

-- Invalid arguments.
CREATE TABLE plain (id int PRIMARY KEY, body text, "key" text);
CREATE TABLE keyless (id int, body text);
CREATE VIEW seen AS SELECT * FROM plain;
CREATE MATERIALIZED VIEW stored AS SELECT * FROM plain;
CREATE TEMP TABLE fleeting (id int PRIMARY KEY, body text);
CREATE TABLE child () INHERITS (plain);
CREATE INDEX plain_body ON plain (body);
SELECT e.state, regexp_replace(e.message, 'pg_temp_\d+', 'pg_temp') AS message, e.hint FROM (VALUES
    ('SELECT kb_attach(NULL, ''attached'', ''body'')'),
    ('SELECT kb_attach(''keyless'', NULL, ''body'')'),
    ('SELECT kb_attach(''keyless'', ''attached'', NULL)'),
    ('SELECT kb_attach(''keyless'', ''attached'', ''body'', metadata => ARRAY[NULL]::name[])'),
    ('SELECT kb_attach(''nowhere'', ''attached'', ''body'')'),
    ('SELECT kb_attach(''keyless'', ''unknown'', ''body'')'),
    ('SELECT kb_attach(''keyless'', ''attached'', ''body'')'),
    ('SELECT kb_attach(''seen'', ''attached'', ''body'')'),
    ('SELECT kb_attach(''stored'', ''attached'', ''body'')'),
    ('SELECT kb_attach(''fleeting'', ''attached'', ''body'')'),
    ('SELECT kb_attach(''plain_body'', ''attached'', ''body'')'),
    ('SELECT kb_attach(''plain'', ''attached'', ''body'')'),
    ('SELECT kb_attach(''child'', ''attached'', ''body'')'),
    ('SELECT kb_attach(''pg_class'', ''attached'', ''relname'')'),
    ('SELECT kb_attach(''kb_rag.knowledge_base'', ''attached'', ''name'')'),
    ('SELECT kb_attach(''kb_attached.document'', ''attached'', ''content'')'),
    ('SELECT kb_detach(NULL, ''attached'')'),
    ('SELECT kb_detach(''plain'', NULL)'),
    ('SELECT kb_detach(''plain'', ''attached'')')
) s (statement) CROSS JOIN LATERAL error_of(s.statement) e;
DROP TABLE child;
DROP INDEX plain_body;
SELECT e.state, e.message, e.hint FROM (VALUES
    ('SELECT kb_attach(''plain'', ''attached'', ''text'')'),
    ('SELECT kb_attach(''plain'', ''attached'', ''ctid'')'),
    ('SELECT kb_attach(''plain'', ''attached'', ''body'', title => ''Body'')'),
    ('SELECT kb_attach(''plain'', ''attached'', ''body'', metadata => ''{id,nothing}'')'),
    ('SELECT kb_attach(''plain'', ''attached'', ''body'', metadata => ''{id,id}'')'),
    ('SELECT kb_attach(''plain'', ''attached'', ''body'', metadata => ''{key}'')'),
    ('SELECT kb_attach(''plain'', ''attached'', ''body'', source_type => '''')')
) s (statement) CROSS JOIN LATERAL error_of(s.statement) e;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM error_of('SELECT kb_attach(''plain'', ''attached'', ''body'')');
ROLLBACK;
SELECT count(*) FROM kb_attached.source;
-- Rows that cannot become documents cause errors of their own: a limit is reported when it is reached.
SELECT kb_configure('attached', chunk_strategy => 'none');
SELECT kb_attach('plain', 'attached', 'body') IS NOT NULL AS attached;
SELECT state, regexp_replace(message, '[0-9a-f-]{36}', '<id>') AS message FROM error_of('INSERT INTO plain VALUES (1, repeat(''long '', 500000))');
SELECT count(*) FROM plain;
DROP VIEW documents;
DROP FUNCTION written, moved, shout;
SELECT kb_drop('attached');
DROP TABLE plain, keyless, logs CASCADE;
DROP SCHEMA "Odd Schema";
DROP DOMAIN slug;
