-- The notice of a statement that leaves chunks to the workers because of kb_rag.inline_chunks.
SET client_min_messages = warning;
SELECT kb_create('waiting', model => 'fake/test', dimensions => 8, chunk_size => 40, chunk_overlap => 0, chunk_strategy => 'text') IS NOT NULL AS created;
SET client_min_messages = notice;
SET kb_rag.inline_chunks = 10;
-- Within the limit nothing is said.
INSERT INTO kb_waiting.document (content) SELECT 'row ' || i FROM generate_series(1, 10) i;
INSERT INTO kb_waiting.document (content) SELECT 'more ' || i FROM generate_series(1, 11) i;
UPDATE kb_waiting.document SET content = content || '!' WHERE content ~ '^row|^more 1';
UPDATE kb_waiting.document SET metadata = '{"n": 1}';
SELECT kb_add('waiting', string_agg('Sentence number ' || i || ' of a long text.', E'\n\n')) IS NOT NULL AS added FROM generate_series(1, 32) i;
SELECT pending > 0 AS pending FROM kb_rag.status WHERE knowledge_base = 'waiting';
-- The workers say nothing.
CALL kb_work();
SELECT pending FROM kb_rag.status WHERE knowledge_base = 'waiting';
-- Nor does a statement that fails; the next one counts its own chunks.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF new.content = 'refused' THEN RAISE 'refused'; END IF; RETURN new; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON kb_waiting.chunk FOR EACH ROW EXECUTE FUNCTION refuse();
SELECT state, message FROM error_of($$INSERT INTO kb_waiting.document (content) SELECT CASE WHEN i < 70 THEN 'failing ' || i ELSE 'refused' END FROM generate_series(1, 70) i$$);
INSERT INTO kb_waiting.document (content) SELECT 'after ' || i FROM generate_series(1, 11) i;
DROP TRIGGER refuse ON kb_waiting.chunk;
DROP FUNCTION refuse;
-- Nor does one whose chunks are all meant to wait.
SET kb_rag.inline_chunks = 0;
INSERT INTO kb_waiting.document (content) SELECT 'none ' || i FROM generate_series(1, 30) i;
CALL kb_work();
SET kb_rag.inline_chunks = 10;

-- Once for a statement on an attached table, although it is read in groups; not for kb_attach, nor while workers read a table.
CREATE TABLE waiting_rows (id int PRIMARY KEY, body text);
INSERT INTO waiting_rows SELECT i, 'first ' || i FROM generate_series(1, 700) i;
SELECT kb_attach('waiting_rows', 'waiting', 'body') IS NOT NULL AS attached;
CALL kb_work();
INSERT INTO waiting_rows SELECT i, 'second ' || i FROM generate_series(701, 1400) i;
CALL kb_work();
ALTER TABLE waiting_rows DISABLE TRIGGER USER;
UPDATE waiting_rows SET body = body || ' changed' WHERE id <= 200;
ALTER TABLE waiting_rows ENABLE TRIGGER USER;
SELECT kb_reconcile('waiting');
CALL kb_work();

-- A change of the model makes all vectors, also those that workers were to make.
SET kb_rag.inline_chunks = 0;
INSERT INTO kb_waiting.document (content) SELECT 'before the change ' || i FROM generate_series(1, 3) i;
SELECT kb_configure('waiting', model => 'fake/other');
SELECT status, count(*), count(*) FILTER (WHERE content LIKE 'before the change%') AS lately FROM kb_waiting.document GROUP BY 1;
SELECT count(*) FROM kb_rag.job;
SET kb_rag.inline_chunks = 10;

-- Where workers embed anyway nothing is said, nor where statements embed all.
SELECT kb_configure('waiting', embed => 'queued');
INSERT INTO kb_waiting.document (content) SELECT 'queued ' || i FROM generate_series(1, 30) i;
CALL kb_work();
-- A document waits only for vectors that it lacks: not after a change that leaves its text as it is.
UPDATE kb_waiting.document SET source_type = 'other' WHERE content = 'queued 1';
UPDATE kb_waiting.document SET content_hash = 'x' WHERE content = 'queued 2';
UPDATE kb_waiting.document SET source_type = 'code' WHERE content = 'queued 3';
SELECT content, status, content_hash = sha256(content::bytea) AS hash FROM kb_waiting.document WHERE content IN ('queued 1', 'queued 2', 'queued 3') ORDER BY 1;
SELECT count(*) FROM kb_rag.job;
SELECT kb_configure('waiting', embed => 'inline');
INSERT INTO kb_waiting.document (content) SELECT 'inline ' || i FROM generate_series(1, 30) i;
SELECT kb_configure('waiting', embed => 'off');
INSERT INTO kb_waiting.document (content) SELECT 'off ' || i FROM generate_series(1, 30) i;
RESET kb_rag.inline_chunks;
SET client_min_messages = warning;
SELECT kb_drop('waiting');
DROP TABLE waiting_rows;
