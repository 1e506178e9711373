-- Attached tables that cannot be read, and sources that were altered. Only CALL kb_work() does the work.
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT kb_create('trouble', model => 'fake/a', dimensions => 8, chunk_strategy => 'none', embed => 'off') IS NOT NULL AS created;
CREATE TABLE page (id int PRIMARY KEY, body text);
INSERT INTO page SELECT n, 'Page ' || n FROM generate_series(1, 700) n;
UPDATE page SET body = repeat('long ', 500000) WHERE id = 350;
SELECT kb_attach('page', 'trouble', 'body') IS NOT NULL AS attached;
CREATE VIEW state AS
SELECT s.location, s.status, regexp_replace(s.error_message, '[0-9a-f-]{36}', '<id>') AS error, s.documents
FROM kb_rag.source_status s WHERE knowledge_base = 'trouble';
SELECT * FROM state;

-- A row after the first ones prevents reading: the reason is reported.
SET client_min_messages = error;
CALL kb_work(0);
SET client_min_messages = warning;
SELECT * FROM state;
UPDATE page SET body = 'short' WHERE id = 350;
SELECT kb_retry('trouble');
CALL kb_work();
SELECT * FROM state;

-- A source that was altered or dropped is not an error in views of other sources.
SELECT kb_create('sound', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
CREATE TABLE note (id int PRIMARY KEY, body text);
INSERT INTO note VALUES (1, 'A note.');
SELECT kb_attach('note', 'sound', 'body') IS NOT NULL AS attached;
CREATE VIEW others AS SELECT knowledge_base, location, status, documents FROM kb_rag.source_status ORDER BY location;
SELECT * FROM others;
ALTER TABLE kb_trouble.source RENAME COLUMN status TO state;
SELECT * FROM others;
ALTER TABLE kb_trouble.source RENAME COLUMN state TO status;
ALTER TABLE kb_trouble.source ALTER COLUMN last_synced_at TYPE text;
SELECT * FROM others;
ALTER TABLE kb_trouble.source ALTER COLUMN last_synced_at TYPE timestamptz USING last_synced_at::timestamptz;
SELECT * FROM others;
DROP TABLE kb_trouble.source CASCADE;
SELECT * FROM others;
CREATE VIEW kb_trouble.source AS SELECT 1 / 0 AS id;
SELECT * FROM others;
DROP VIEW kb_trouble.source;
DROP VIEW state, others;
SELECT kb_drop('sound'), kb_drop('trouble');
DROP TABLE page, note;

-- A table without its primary key: rows with the same key are one document, and kb_reconcile says why it cannot repair them.
\set VERBOSITY default
SELECT kb_create('twice', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
CREATE TABLE word (id int PRIMARY KEY, body text);
CREATE TABLE other (id int PRIMARY KEY, body text);
INSERT INTO word VALUES (1, 'One.'), (2, 'Two.');
INSERT INTO other VALUES (1, 'Another.');
SELECT kb_attach('word', 'twice', 'body') IS NOT NULL AS attached, kb_attach('other', 'twice', 'body') IS NOT NULL AS other;
ALTER TABLE word DROP CONSTRAINT word_pkey;
INSERT INTO word VALUES (2, 'Two again.'), (3, 'Three.'), (2, 'Two once more.');
DO $$ BEGIN PERFORM kb_reconcile('twice'); PERFORM kb_reconcile('twice'); END $$;
SELECT location, status, error_message FROM kb_rag.source_status WHERE knowledge_base = 'twice' ORDER BY location;
DELETE FROM word WHERE body LIKE 'Two %';
ALTER TABLE word ADD PRIMARY KEY (id);
SELECT kb_reconcile('twice');
SELECT d.content, s.status FROM kb_twice.document d JOIN kb_twice.source s ON s.id = d.source_id ORDER BY d.content;

-- A condition that no row meets, columns that were mixed up, and a column without text.
CREATE TABLE mixed (id int PRIMARY KEY, name text, body text, price int, nothing text);
INSERT INTO mixed VALUES (1, 'Lamp', repeat('A lamp for the desk. ', 100), 5), (2, 'Chair', 'A chair.', 6);
SELECT kb_attach('mixed', 'twice', 'body', condition => 'price = NULL') IS NOT NULL AS attached;
SELECT kb_attach('mixed', 'twice', 'body', condition => 'price = 6') IS NOT NULL AS some;
SELECT kb_attach('mixed', 'twice', 'name', 'body') IS NOT NULL AS mixed_up;
SELECT kb_attach('mixed', 'twice', 'nothing') IS NOT NULL AS empty;

-- Sources of other kinds are named, with what removes them.
SELECT state, regexp_replace(message, '[0-9a-f-]{36}', '<id>') AS message, hint FROM error_of($$SELECT kb_source_drop(source_id) FROM kb_source_list('twice') WHERE location = 'public.other'$$);
SELECT state, regexp_replace(message, '[0-9a-f-]{36}', '<id>') AS message, hint FROM error_of($$SELECT kb_source_sync(source_id) FROM kb_source_list('twice') WHERE location = 'public.other'$$);
SELECT kb_detach('other', 'twice');
SELECT state, message, regexp_replace(hint, '[0-9a-f-]{36}', '<id>') AS hint FROM error_of($$SELECT kb_detach('other', 'twice', delete_documents => true)$$);
SELECT regexp_replace(message, '[0-9a-f-]{36}', '<id>') AS message, hint FROM error_of($$SELECT kb_source_drop(source_id) FROM kb_source_list('twice') WHERE location = 'public.other'$$);
INSERT INTO kb_twice.source (kind, location, title) VALUES ('directory', '/srv/manual', 'manual');
SELECT regexp_replace(message, '[0-9a-f-]{36}', '<id>') AS message, hint FROM error_of($$SELECT kb_source_drop(source_id) FROM kb_source_list('twice') WHERE kind = 'directory'$$);
SELECT state, message, hint FROM error_of($$SELECT kb_source_drop('a0000000-0000-0000-0000-000000000001')$$);
SELECT kb_drop('twice');
DROP TABLE word, other, mixed;
