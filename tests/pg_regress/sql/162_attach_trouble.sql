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
