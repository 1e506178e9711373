-- A change of the model, combined with other changes to the base. Only CALL kb_work() does the work; CALL kb_work(0) does
-- one step.
\set VERBOSITY terse
SELECT kb_create('swap', model => 'fake/a', dimensions => 8, embed => 'queued') IS NOT NULL AS created;
INSERT INTO kb_swap.document (source_key, content) SELECT i, 'the text of number ' || i FROM generate_series(1, 20) i;
CALL kb_work();
CREATE VIEW state AS
SELECT s.model, s.dimensions, s.embedded, s.coverage, s.model_change,
    (SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'kb_swap'::regnamespace AND relname ~ '^embedding') AS relations
FROM kb_rag.status s WHERE s.knowledge_base = 'swap';
SELECT * FROM state;

-- The queue is emptied: the vectors in use stay until the others exist.
SELECT kb_configure('swap', model => 'fake/b', dimensions => 12);
DELETE FROM kb_rag.job;
CALL kb_work(0);
SELECT model, embedded, coverage, model_change FROM state;
SELECT kind, count(*) FROM kb_rag.job GROUP BY kind;
CALL kb_work();
SELECT * FROM state;
-- Only part of it is.
SELECT kb_configure('swap', model => 'fake/a', dimensions => 8);
DELETE FROM kb_rag.job WHERE target IN (SELECT id FROM kb_swap.document WHERE source_key::int <= 5);
CALL kb_work(0);
CALL kb_work(0);
SELECT model, embedded, coverage, model_change FROM state;
CALL kb_work();
SELECT * FROM state;
SELECT kb_reconcile('swap');

-- Failed documents block the change, with a message, and are not retried continuously.
SELECT kb_configure('swap', model => 'fake/b', dimensions => 12);
UPDATE kb_rag.job SET failed = true, error = 'refused' WHERE target IN (SELECT id FROM kb_swap.document WHERE source_key::int <= 3);
CALL kb_work();
SELECT model, embedded, coverage, model_change FROM state;
SELECT count(*) FROM kb_rag.failed;
-- Once deleted, they no longer block it: after kb_retry, or at the next check.
DELETE FROM kb_swap.document WHERE source_key = '1';
SELECT model_change FROM state;
DELETE FROM kb_swap.document WHERE source_key::int <= 3;
SELECT model_change FROM state;
UPDATE kb_rag.job SET held_up_at = held_up_at - interval '2 minutes';
CALL kb_work();
SELECT * FROM state;
-- Retried successfully.
SELECT kb_configure('swap', model => 'fake/a', dimensions => 8);
UPDATE kb_rag.job SET failed = true, error = 'refused' WHERE target IN (SELECT id FROM kb_swap.document WHERE source_key::int <= 6);
CALL kb_work();
SELECT model, model_change FROM state;
DELETE FROM kb_swap.document WHERE source_key = '4';
UPDATE kb_swap.document SET content = 'mended' WHERE source_key = '5';
CALL kb_work();
SELECT model, model_change FROM state;
SELECT kb_retry('swap');
CALL kb_work();
SELECT * FROM state;
SELECT count(*) FROM kb_rag.job;
-- Documents without a vector of the present model have nothing to lose.
DELETE FROM kb_swap.embedding WHERE chunk_id IN (SELECT c.id FROM kb_swap.chunk c JOIN kb_swap.document d ON d.id = c.document_id WHERE d.source_key = '6');
SELECT kb_configure('swap', model => 'fake/b', dimensions => 12);
UPDATE kb_rag.job SET failed = true, error = 'refused' WHERE target IN (SELECT id FROM kb_swap.document WHERE source_key = '6');
CALL kb_work();
SELECT * FROM state;
SELECT source_key, status FROM kb_swap.document WHERE status <> 'indexed';
SELECT kb_retry('swap');
CALL kb_work();
SELECT * FROM state;
-- Back to the present model, at once.
SELECT kb_configure('swap', model => 'fake/a', dimensions => 8);
UPDATE kb_rag.job SET failed = true, error = 'refused';
CALL kb_work();
SELECT model_change FROM state;
SELECT kb_configure('swap', model => 'fake/b', dimensions => 12);
SELECT * FROM state;
SELECT count(*) FROM kb_rag.job;

-- The index method is changed while the change is in progress.
SELECT kb_configure('swap', index_method => 'none');
SELECT kb_configure('swap', model => 'fake/a', dimensions => 8);
SELECT kb_configure('swap', index_method => 'auto');
SELECT relations FROM state;
CALL kb_work();
SELECT * FROM state;
SELECT kb_configure('swap', model => 'fake/b', dimensions => 12);
SELECT kb_configure('swap', index_method => 'none');
SELECT relations FROM state;
CALL kb_work();
SELECT * FROM state;
SELECT kb_configure('swap', index_method => 'hnsw');

-- A third model in the statement, with the dimensions of the pending model.
SELECT kb_configure('swap', model => 'fake/a', dimensions => 8);
SELECT kb_configure('swap', model => 'fake/c', dimensions => 8, embed => 'inline');
SELECT * FROM state;
SELECT count(*) FROM kb_rag.job;

-- The second table is lost: every base's status is still shown.
SELECT kb_configure('swap', embed => 'queued');
SELECT kb_configure('swap', model => 'fake/a', dimensions => 8);
ALTER TABLE kb_swap.embedding_8 DROP COLUMN chunk_id;
SELECT model, model_change FROM state;
DROP TABLE kb_swap.embedding_8;
SELECT * FROM state;
CREATE VIEW kb_swap.embedding_8 AS SELECT 1 / 0 AS chunk_id;
SELECT model, model_change FROM state;
DROP VIEW kb_swap.embedding_8;
SELECT kb_configure('swap', model => 'fake/c', dimensions => 8);
SELECT * FROM state;

-- Dropped during the change.
SELECT kb_configure('swap', model => 'fake/b', dimensions => 12, embed => 'queued');
DROP VIEW state;
SELECT kb_drop('swap');
SELECT count(*) FROM kb_list();
SELECT count(*) FROM kb_rag.job;
