-- Attached tables that cannot be read. Nobody works but CALL kb_work().
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT kb_create('trouble', model => 'fake/a', dimensions => 8, chunk_strategy => 'none', embed => 'off') IS NOT NULL AS created;
CREATE TABLE page (id int PRIMARY KEY, body text);
INSERT INTO page SELECT n, 'Page ' || n FROM generate_series(1, 700) n;
UPDATE page SET body = repeat('long ', 500000) WHERE id = 650;
SELECT kb_attach('page', 'trouble', 'body') IS NOT NULL AS attached;
CREATE VIEW state AS
SELECT s.location, s.status, regexp_replace(s.error_message, '[0-9a-f-]{36}', '<id>') AS error, s.documents
FROM kb_rag.source_status s WHERE knowledge_base = 'trouble';
SELECT * FROM state;

-- What a row past the first ones makes of it is told.
SET client_min_messages = error;
CALL kb_work(0);
SET client_min_messages = warning;
SELECT * FROM state;
UPDATE page SET body = 'short' WHERE id = 650;
SELECT kb_retry('trouble');
CALL kb_work();
SELECT * FROM state;
DROP VIEW state;
SELECT kb_drop('trouble');
DROP TABLE page;
