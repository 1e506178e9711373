-- kb_attach: how rows are read, in which language, further text, URLs, and metadata of JSON.
SET client_min_messages = warning;
SELECT kb_create('support', model => 'fake/a', dimensions => 8, embed => 'off') IS NOT NULL AS created;
CREATE TABLE article (
    id int, region text, headline text, body text, notes text, hints text, lang text, kind text, published boolean, extra jsonb, old json,
    PRIMARY KEY (id)
);
INSERT INTO article VALUES
    (1, 'eu west', 'Pump', '<html><head><title>x</title><script>var secret = 1;</script></head><body><h1>Pump</h1><p>Prime the <b>pump</b>.</p></body></html>',
        'Seals wear out.', 'Oil it.', 'en', 'text/html', true, '{"team": "support", "year": 2025}', '{"a": 1}'),
    (2, 'eu/1', NULL, 'Die Ventile werden geöffnet.', NULL, '', 'de', 'text/plain', true, '{"team": "sales", "key": 7}', NULL),
    (3, NULL, 'Notes', NULL, 'Only notes.', NULL, NULL, NULL, true, '[1, 2]', '3'),
    (4, 'us', NULL, E'# Boiler\n\nHeat it.', '', NULL, 'en', 'boiler.md', false, NULL, NULL),
    (5, 'us', 'Nothing', '', '', NULL, 'en', 'text/html', false, '{}', NULL);
SELECT kb_attach('article', 'support', 'body', title => 'headline', metadata => '{extra,old,published}', mime_type => '{kind}', language => '{lang}',
    more_content => '{notes,hints}', url => 'https://help.example.com/{region}/{id}?l={lang}&x={{1}}') AS source \gset
CREATE VIEW documents AS SELECT source_key AS key, title, mime_type AS mime, language AS lang, content, metadata - 'key' AS metadata FROM kb_support.document ORDER BY source_key;
SELECT * FROM documents;
SELECT options FROM kb_support.source;
SELECT source, metadata ->> 'source_url' AS url FROM kb_search('Ventil', 'support', 'keyword');
SELECT source FROM kb_search('secret', 'support', 'keyword');
SELECT kb_context('prime', 'support', mode => 'keyword', style => 'source');
SELECT source FROM kb_search('prime', 'support', 'keyword', filter => '{"team": "support", "year": 2025}');
SELECT kb_reconcile('support');

-- A change of any of the columns is followed, and of no other.
CREATE TEMP TABLE before AS SELECT source_key, xmin::text AS version FROM kb_support.document;
CREATE VIEW changed AS SELECT string_agg(d.source_key, ',' ORDER BY d.source_key) AS keys
FROM kb_support.document d LEFT JOIN before b ON b.source_key = d.source_key AND b.version = d.xmin::text WHERE b IS NULL;
ALTER TABLE article ADD COLUMN views int;
UPDATE article SET views = 1;
SELECT * FROM changed;
UPDATE article SET notes = 'More.' WHERE id = 2;
UPDATE article SET lang = 'fr', kind = NULL WHERE id = 4;
UPDATE article SET region = 'asia' WHERE id = 3;
UPDATE article SET body = '<p>Now <i>text</i></p>' WHERE id = 5;
SELECT * FROM changed;
SELECT * FROM documents WHERE key <> '1';

-- Rows that triggers missed.
ALTER TABLE article DISABLE TRIGGER USER;
UPDATE article SET lang = 'es' WHERE id = 4;
UPDATE article SET body = '<script>nothing</script>', notes = '', hints = '' WHERE id = 1;
UPDATE article SET region = 'mars' WHERE id = 2;
ALTER TABLE article ENABLE TRIGGER USER;
SELECT kb_reconcile('support');
SELECT key, lang, metadata ->> 'source_url' AS url FROM documents;
SELECT kb_reconcile('support');

-- Columns are known by number; of those that are dropped, only that of the MIME type is needed.
ALTER TABLE article RENAME COLUMN region TO area;
ALTER TABLE article RENAME COLUMN lang TO "the language";
ALTER TABLE article DROP COLUMN hints;
UPDATE article SET headline = 'Valve' WHERE id = 2;
SELECT * FROM documents WHERE key = '2';
ALTER TABLE article DROP COLUMN "the language";
UPDATE article SET headline = 'Valves' WHERE id = 2;
SELECT * FROM documents WHERE key = '2';
SET client_min_messages = error;
ALTER TABLE article DROP COLUMN kind;
UPDATE article SET headline = 'Tap' WHERE id = 2;
SELECT title FROM documents WHERE key = '2';
SET client_min_messages = warning;
SELECT status, error_message FROM kb_rag.source_status;

-- Constants. A second call changes all of them.
SELECT kb_attach('article', 'support', 'body', mime_type => 'text/html', language => 'German') = :'source' AS same;
SELECT * FROM documents;
SELECT kb_attach('article', 'support', 'body') = :'source' AS same;
SELECT key, mime, lang, content FROM documents WHERE key = '5';
SELECT kb_reconcile('support');

-- Files, by their bytes and a name.
CREATE TABLE file (name text PRIMARY KEY, data bytea, note text);
INSERT INTO file VALUES ('a.html', '<html><title>T</title><body><p>Hello bytes</p></body></html>', 'A note.'), ('b.pdf', '%PDF-1.4 broken', 'Lost.'),
    ('c.md', '# Text', NULL), ('d.bin', '\x0001ff', NULL), ('e', '', NULL), ('f', NULL, 'Alone.');
SELECT kb_attach('file', 'support', 'data', mime_type => '{name}', more_content => '{note}', source_type => 'file') IS NOT NULL AS attached;
SELECT source_key, title, mime_type, content FROM kb_support.document WHERE source_type = 'file' ORDER BY 1;
UPDATE file SET data = '<html><body><p>Changed</p></body></html>' WHERE name = 'a.html';
DELETE FROM file WHERE name = 'c.md';
SELECT source_key, content FROM kb_support.document WHERE source_type = 'file' ORDER BY 1;
SELECT kb_reconcile('support');

-- A name with a directory is no MIME type. Domains are what they are made of.
CREATE DOMAIN bytes AS bytea;
CREATE DOMAIN object AS jsonb;
CREATE TABLE domained (path text PRIMARY KEY, data bytes, j object);
INSERT INTO domained VALUES ('docs/a.html', '<p>In a directory</p>', '{"team": "a", "source_url": "https://evil.example/"}'), ('text/b.html', '<p>In another</p>', '{"key": 7}'), ('e', '', NULL);
SELECT kb_attach('domained', 'support', 'data', metadata => '{j}', mime_type => '{path}', source_type => 'domain', url => 'https://h/{j}') IS NOT NULL AS attached;
UPDATE domained SET j = NULL WHERE path = 'e';
SELECT source_key, content, mime_type, metadata FROM kb_support.document WHERE source_type = 'domain' ORDER BY 1;
SELECT kb_attach('domained', 'support', 'data', metadata => '{j}', mime_type => '{path}', source_type => 'domain') IS NOT NULL AS attached;
SELECT source_key, metadata ->> 'source_url' AS url FROM kb_support.document WHERE source_type = 'domain' ORDER BY 1;

-- Detached with its documents, and attached again without a MIME type.
CREATE TABLE again (id int PRIMARY KEY, body text);
INSERT INTO again VALUES (1, '<p>Again</p>');
SELECT kb_attach('again', 'support', 'body', source_type => 'again', mime_type => 'text/html', language => 'de') IS NOT NULL AS attached;
SELECT kb_detach('again', 'support');
SELECT kb_attach('again', 'support', 'body', source_type => 'again') IS NOT NULL AS attached;
SELECT content, mime_type, language FROM kb_support.document WHERE source_type = 'again';

-- JSON that jsonb cannot hold is text, and fails no write.
CREATE TYPE pair AS (a int, j json);
CREATE TABLE odd (id int PRIMARY KEY, body text, j json, list json[], p pair);
INSERT INTO odd VALUES (1, 'One', '{"a": 1, "b": "x\u0000y"}', ARRAY['{"c": 1e3}'::json], ROW(1, '{"d": 2}'));
SELECT kb_attach('odd', 'support', 'body', metadata => '{j,list,p}', source_type => 'odd') IS NOT NULL AS attached;
INSERT INTO odd VALUES (2, 'Two', '{"a": 2}', ARRAY['{"c": "\ud800"}'::json], ROW(1, '{"d": "\u0000"}')), (3, 'Three', NULL, NULL, NULL);
SELECT source_key, metadata - 'key' AS metadata FROM kb_support.document WHERE source_type = 'odd' ORDER BY 1;
SELECT kb_reconcile('support');

-- A key that is equal, but written in another way.
CREATE TABLE equal (id numeric PRIMARY KEY, body text);
INSERT INTO equal VALUES (1.0, 'one');
SELECT kb_attach('equal', 'support', 'body', source_type => 'equal') IS NOT NULL AS attached;
UPDATE equal SET id = 1.00, body = 'uno';
SELECT source_key, content FROM kb_support.document WHERE source_type = 'equal';
UPDATE equal SET id = 1.000;
SELECT source_key, content FROM kb_support.document WHERE source_type = 'equal';
SELECT kb_reconcile('support');

-- What users set by hand stays where the rows do not decide.
CREATE TABLE byhand (id int PRIMARY KEY, body text);
INSERT INTO byhand VALUES (1, 'Die Pumpe.');
SELECT kb_attach('byhand', 'support', 'body', source_type => 'byhand') IS NOT NULL AS attached;
UPDATE kb_support.document SET language = 'de', mime_type = 'text/markdown' WHERE source_type = 'byhand';
UPDATE byhand SET body = 'Die Pumpen.';
SELECT kb_reconcile('support');
SELECT language, mime_type, content FROM kb_support.document WHERE source_type = 'byhand';

-- Partitions.
CREATE TABLE parted (id int PRIMARY KEY, body text, lang text) PARTITION BY RANGE (id);
CREATE TABLE part (lang text, body text, id int NOT NULL);
ALTER TABLE parted ATTACH PARTITION part FOR VALUES FROM (0) TO (10);
SELECT kb_attach('parted', 'support', 'body', source_type => 'part', language => '{lang}', mime_type => 'text/html', url => 'http://h/{id}') IS NOT NULL AS attached;
INSERT INTO part VALUES ('de', '<p>Die Pumpe</p>', 1);
UPDATE parted SET lang = 'en';
SELECT source_key, language, content, metadata FROM kb_support.document WHERE source_type = 'part';

-- A text that looks like a page, without a MIME type.
SET client_min_messages = notice;
CREATE TABLE page (id int PRIMARY KEY, body text);
INSERT INTO page VALUES (1, 'Plain.'), (2, '<!DOCTYPE html><html><body>Page</body></html>');
SELECT kb_attach('page', 'support', 'body', source_type => 'page') IS NOT NULL AS attached;
UPDATE page SET body = 'JVBERi0xLjQKJeLjz9MK' WHERE id = 2;
SELECT kb_attach('page', 'support', 'body', source_type => 'page') IS NOT NULL AS attached;
SELECT kb_attach('page', 'support', 'body', source_type => 'page', mime_type => 'text/plain') IS NOT NULL AS attached;

-- Columns that were mixed up.
CREATE TABLE mixed (id int PRIMARY KEY, headline text, body text, rare text);
INSERT INTO mixed SELECT n, 'Short ' || n, repeat('A long text. ', 30), CASE WHEN n <= 4 THEN 'Text' END FROM generate_series(1, 9) n;
SELECT kb_attach('mixed', 'support', 'headline', title => 'body', source_type => 'mixed') IS NOT NULL AS attached;
INSERT INTO mixed SELECT n, 'Short ' || n, repeat('A long text. ', 30), CASE WHEN n <= 4 THEN 'Text' END FROM generate_series(10, 12) n;
SELECT kb_attach('mixed', 'support', 'headline', title => 'body', source_type => 'mixed') IS NOT NULL AS attached;
SELECT kb_attach('mixed', 'support', 'rare', source_type => 'mixed') IS NOT NULL AS attached;
SELECT kb_attach('mixed', 'support', 'body', title => 'headline', source_type => 'mixed') IS NOT NULL AS attached;

-- kb_attach reads few rows and makes no vectors, unless it waits.
SET kb_rag.workers = 0;
SELECT kb_create('later', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
CREATE TABLE many (id int PRIMARY KEY, body text);
INSERT INTO many SELECT n, 'Text ' || n FROM generate_series(1, 120) n;
SELECT kb_attach('many', 'later', 'body') IS NOT NULL AS attached;
SELECT (SELECT count(*) FROM kb_later.document) AS documents, (SELECT count(*) FROM kb_later.embedding) AS vectors;
INSERT INTO many VALUES (121, 'A row of the application has its vector at once.');
SELECT count(*) AS vectors FROM kb_later.embedding;
SELECT kb_attach('many', 'later', 'body', wait => true) IS NOT NULL AS attached;
SELECT status, documents, rows_read, (SELECT count(*) FROM kb_later.embedding) AS vectors FROM kb_rag.source_status WHERE knowledge_base = 'later';

-- Invalid arguments.
CREATE TABLE note (id int PRIMARY KEY, body text, note text, "key" text);
SELECT e.state, e.message, e.hint FROM (VALUES
    ('mime_type => ''text/htlm'''), ('mime_type => ''application/zip'''), ('mime_type => ''html'''), ('mime_type => '''''), ('mime_type => ''{nope}'''),
    ('mime_type => ''{}'''), ('language => ''klingon'''), ('language => '''''), ('language => ''{nope}'''), ('more_content => ''{nope}'''),
    ('more_content => ''{body}'''), ('more_content => ''{note,note}'''), ('more_content => ''{NULL}'''), ('url => ''/a/{id}'''), ('url => '''''),
    ('url => ''javascript:alert(1)'''), ('url => ''https://h/{id'''), ('url => ''https://h/id}'''), ('url => ''https://h/{}'''),
    ('url => ''https://h/{nope}'''), ('url => ''https://h/{id}}'''), ('title => ''nope'''), ('metadata => ''{key}''')
) a (argument)
CROSS JOIN error_of(format('SELECT kb_attach(''note'', ''support'', ''body'', %s)', a.argument)) e;

-- kb_adopt attaches tables as they were.
DELETE FROM file WHERE name IN ('b.pdf', 'd.bin');
ALTER TABLE parted RENAME COLUMN id TO number;
ALTER TABLE mixed DROP COLUMN headline;
-- What has the name of the text now is not the text.
BEGIN;
ALTER TABLE page RENAME COLUMN body TO old;
ALTER TABLE page ADD COLUMN body text;
COMMIT;
INSERT INTO page (id, old, body) VALUES (3, 'Public.', 'Secret.');
UPDATE part SET body = '<p>Die Pumpen</p>';
CREATE TABLE was AS SELECT source_type, source_key, content, mime_type, language, metadata FROM kb_support.document;
SET client_min_messages = warning;
DROP EXTENSION kb_rag CASCADE;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag;
SET client_min_messages = warning;
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT count(*) AS differ FROM (SELECT source_type, source_key, content, mime_type, language, metadata FROM kb_support.document EXCEPT SELECT * FROM was) d;
SELECT location, uses, options FROM kb_rag.attached_table ORDER BY location;
INSERT INTO part (lang, body, number) VALUES ('de', '<p>Das Ventil</p>', 2);
SELECT source_key, language, content, metadata FROM kb_support.document WHERE source_type = 'part' ORDER BY 1;
