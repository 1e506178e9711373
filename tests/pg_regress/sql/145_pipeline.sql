-- Work that writers leave to workers. In this test only CALL kb_work() does it.
\set VERBOSITY terse

-- Queued: found by keyword at once, by vector once the vectors exist.
SELECT kb_create('queue', model => 'fake/a', dimensions => 8, embed => 'queued') IS NOT NULL AS created;
CREATE VIEW waiting AS SELECT status, count(*) AS documents, count(indexed_at) AS dated FROM kb_queue.document GROUP BY status;
INSERT INTO kb_queue.document (title, content) SELECT 'number ' || i, 'the text of number ' || i FROM generate_series(1, 300) i;
SELECT * FROM waiting;
SELECT title, semantic_rank FROM kb_hybrid_search('"number 7"', 'queue', match_count => 1, syntax => 'web');
SELECT pending, indexed, failed, chunks, embedded, coverage, oldest_pending >= '0' AS waits, paused, model_change
FROM kb_rag.status WHERE knowledge_base = 'queue';
CALL kb_work();
SELECT * FROM waiting;
SELECT title, semantic_rank FROM kb_hybrid_search('"number 7"', 'queue', match_count => 1, syntax => 'web');
SELECT count(*) FROM kb_rag.job;
SELECT kb_reconcile('queue');

-- An unchanged chunk keeps its vector; a changed one waits for a new vector; a change of metadata costs nothing.
UPDATE kb_queue.document SET metadata = '{"a": 1}';
SELECT * FROM waiting;
UPDATE kb_queue.document SET content = content || ', longer' WHERE title ~ '00$';
SELECT * FROM waiting;
SELECT count(*) FROM kb_rag.job;
DELETE FROM kb_queue.document WHERE title = 'number 100';
CALL kb_work();
SELECT * FROM waiting;
SELECT count(*) FROM kb_rag.job;
SELECT kb_reconcile('queue');

-- Rolled-back documents are not queued.
BEGIN;
INSERT INTO kb_queue.document (content) VALUES ('never');
ROLLBACK;
SELECT count(*) FROM kb_rag.job;

-- Documents inserted with the triggers off are queued by kb_reconcile, once; so are jobs that the queue has lost.
ALTER TABLE kb_queue.document DISABLE TRIGGER ALL;
INSERT INTO kb_queue.document (content) VALUES ('unnoticed');
ALTER TABLE kb_queue.document ENABLE TRIGGER ALL;
SELECT kb_reconcile('queue');
SELECT kb_reconcile('queue');
DELETE FROM kb_rag.job;
SELECT kb_reconcile('queue');
SELECT kb_reconcile('queue');
CALL kb_work();
SELECT * FROM waiting;

-- Auto: with a local model, the statement embeds a limited number of chunks, and workers do the rest.
SELECT kb_configure('queue', embed => 'auto');
SET kb_rag.inline_chunks = 10;
INSERT INTO kb_queue.document (content) SELECT 'auto ' || i FROM generate_series(1, 30) i;
SELECT status, count(*) FROM kb_queue.document WHERE content ~ '^auto' GROUP BY status ORDER BY status;
CALL kb_work();
SELECT status, count(*) FROM kb_queue.document WHERE content ~ '^auto' GROUP BY status ORDER BY status;

-- Inline: all of them, whatever their number.
SELECT kb_configure('queue', embed => 'inline');
INSERT INTO kb_queue.document (content) SELECT 'inline ' || i FROM generate_series(1, 30) i;
SELECT status, count(*) FROM kb_queue.document WHERE content ~ '^inline' GROUP BY status ORDER BY status;
RESET kb_rag.inline_chunks;

-- Off: no vectors, and nothing waits. Switched on again, they are made. No chunk is written for either.
CREATE FUNCTION untouched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a chunk is written'; END $$;
CREATE TRIGGER untouched BEFORE INSERT OR UPDATE OR DELETE ON kb_queue.chunk FOR EACH STATEMENT EXECUTE FUNCTION untouched();
SELECT kb_configure('queue', embed => 'off');
ALTER TABLE kb_queue.chunk DISABLE TRIGGER untouched;
INSERT INTO kb_queue.document (content) SELECT 'off ' || i FROM generate_series(1, 30) i;
SELECT status, count(*) FROM kb_queue.document WHERE content ~ '^off' GROUP BY status ORDER BY status;
SELECT chunks - embedded AS without FROM kb_rag.status WHERE knowledge_base = 'queue';
SELECT kb_reconcile('queue');
SELECT count(*) FROM kb_rag.job;
ALTER TABLE kb_queue.chunk ENABLE TRIGGER untouched;
SELECT kb_configure('queue', embed => 'queued');
DROP FUNCTION untouched CASCADE;
SELECT chunks - embedded AS without, pending FROM kb_rag.status WHERE knowledge_base = 'queue';
CALL kb_work();
SELECT chunks - embedded AS without, pending FROM kb_rag.status WHERE knowledge_base = 'queue';

-- Another model: the old vectors stay in use until the new ones are complete, whatever is written in the meantime.
SELECT kb_configure('queue', model => 'fake/b', dimensions => 12);
SELECT model, dimensions, model_change FROM kb_rag.status WHERE knowledge_base = 'queue';
SELECT title, semantic_rank FROM kb_hybrid_search('"number 7"', 'queue', match_count => 1, syntax => 'web');
INSERT INTO kb_queue.document (title, content) VALUES ('new', 'written during the change');
UPDATE kb_queue.document SET content = content || ' of old' WHERE title = 'number 8';
DELETE FROM kb_queue.document WHERE title = 'number 9';
SELECT kind, count(*) FROM kb_rag.job GROUP BY kind ORDER BY kind;
CALL kb_work();
SELECT model, dimensions, model_change, chunks - embedded AS without FROM kb_rag.status WHERE knowledge_base = 'queue';
SELECT vector_dims(embedding) AS dimensions, count(*) FROM kb_queue.embedding GROUP BY 1;
SELECT to_regclass('kb_queue.embedding_12') AS left_over, count(*) AS jobs FROM kb_rag.job;
SELECT * FROM waiting;
SELECT kb_reconcile('queue');

-- A canceled change leaves nothing behind.
SELECT kb_configure('queue', model => 'fake/c', dimensions => 16);
SELECT kb_configure('queue', model => 'fake/b', dimensions => 12);
SELECT model, dimensions, model_change FROM kb_rag.status WHERE knowledge_base = 'queue';
SELECT to_regclass('kb_queue.embedding_16') AS left_over, count(*) AS jobs FROM kb_rag.job;

-- Switched off with work in the queue, and with a change in progress: nothing is left of either.
INSERT INTO kb_queue.document (content) VALUES ('soon off');
SELECT kb_configure('queue', model => 'fake/c', dimensions => 16);
SELECT kb_configure('queue', embed => 'off');
SELECT model, model_change, pending, to_regclass('kb_queue.embedding_16') AS left_over FROM kb_rag.status WHERE knowledge_base = 'queue';
SELECT count(*) FROM kb_rag.job;
SELECT kb_reconcile('queue');
SELECT kb_configure('queue', embed => 'queued');
CALL kb_work();
SELECT * FROM waiting;

-- Nothing failed; failed documents are retried on request.
SELECT count(*) FROM kb_rag.failed;
SELECT kb_retry('queue');

-- Errors.
SELECT * FROM error_of($$SELECT kb_configure('queue', model => 'openai/text-embedding-3-small', embed => 'inline')$$);
SELECT * FROM error_of($$CALL kb_work()$$);
CALL kb_work(-1);
SELECT * FROM error_of($$SELECT kb_retry('nowhere')$$);
SELECT * FROM error_of($$SELECT kb_retry(NULL)$$);

-- The base's work is removed with it.
INSERT INTO kb_queue.document (content) VALUES ('last');
SELECT count(*) FROM kb_rag.job;
DROP VIEW waiting;
SELECT kb_drop('queue');
SELECT count(*) FROM kb_rag.job;
