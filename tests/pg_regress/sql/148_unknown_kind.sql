-- Kinds of jobs and states of pages that this library does not know, as one of another version may write them: these fail with an
-- error that names them, and all else goes on.
SET client_min_messages = warning;
SELECT kb_create('kinds', model => 'fake/test', dimensions => 8, embed => 'queued') AS base \gset
SELECT kb_add('kinds', 'A numbat.', source_key => 'numbat') AS document \gset
SELECT kb_add_url('kinds', 'https://example.com/') AS source \gset
DELETE FROM kb_rag.job WHERE kind = 'source';
-- The tables accept only what is known.
SELECT e.state, e.message FROM unnest(ARRAY[
    format('INSERT INTO kb_rag.job (knowledge_base_id, kind, target) VALUES (%L, ''shred'', %L)', :'base', :'document'),
    format('INSERT INTO kb_rag.pause (knowledge_base_id, kind, until, reason, failures) VALUES (%L, ''shred'', ''infinity'', ''rest'', 1)', :'base'),
    format('INSERT INTO kb_rag.web_page (source_id, url, depth, status, crawl) VALUES (%L, ''https://example.com/'', 0, ''archived'', 0)', :'source')
]) s, error_of(s) e;
SELECT pg_get_constraintdef(oid) AS job_kind FROM pg_constraint WHERE conrelid = 'kb_rag.job'::regclass AND conname = 'job_kind_check' \gset
SELECT pg_get_constraintdef(oid) AS pause_kind FROM pg_constraint WHERE conrelid = 'kb_rag.pause'::regclass AND conname = 'pause_kind_check' \gset
SELECT pg_get_constraintdef(oid) AS page_status FROM pg_constraint WHERE conrelid = 'kb_rag.web_page'::regclass AND conname = 'web_page_status_check' \gset
ALTER TABLE kb_rag.job DROP CONSTRAINT job_kind_check;
ALTER TABLE kb_rag.pause DROP CONSTRAINT pause_kind_check;
ALTER TABLE kb_rag.web_page DROP CONSTRAINT web_page_status_check;
-- The document gets its vector; the jobs fail, whatever their target is.
INSERT INTO kb_rag.job (knowledge_base_id, kind, target) VALUES (:'base', 'shred', :'document'), (:'base', 'annotate', :'base');
CALL kb_work();
SELECT status, error_message FROM kb_kinds.document;
SELECT kind, failed, worker, attempts, error FROM kb_rag.job WHERE knowledge_base_id = :'base' ORDER BY kind;
SELECT * FROM kb_rag.failed ORDER BY reason;
-- Not one that a process has, such as a worker of another version.
INSERT INTO kb_rag.job (knowledge_base_id, kind, target, worker, claimed_at, lease_until)
SELECT :'base', 'paint', :'base', pid, clock_timestamp(), 'infinity' FROM pg_stat_activity WHERE backend_type = 'checkpointer';
CALL kb_work();
SELECT failed, worker IS NOT NULL AS claimed, error FROM kb_rag.job WHERE kind = 'paint';
DELETE FROM kb_rag.job WHERE kind = 'paint';
-- Nothing waits: the next call has nothing to report.
CALL kb_work();
-- kb_retry leaves them, and retries others.
INSERT INTO kb_rag.job (knowledge_base_id, kind, target, failed, error) VALUES (:'base', 'embed', :'document', true, 'refused');
SELECT kb_retry('kinds');
CALL kb_work();
SELECT kind, failed FROM kb_rag.job WHERE knowledge_base_id = :'base' ORDER BY kind;
-- A pause of a kind that does not exist stops nothing.
INSERT INTO kb_rag.pause (knowledge_base_id, kind, until, reason, failures) VALUES (:'base', 'shred', now() + interval '1 hour', 'rest', 1);
SELECT paused FROM kb_rag.status WHERE knowledge_base = 'kinds';
SELECT kb_add('kinds', 'A quokka.', source_key => 'quokka') IS NOT NULL AS added;
CALL kb_work();
SELECT source_key, status FROM kb_kinds.document ORDER BY source_key;
-- A page counts as failed until it is fetched again.
INSERT INTO kb_rag.web_page (source_id, url, depth, status, crawl) VALUES (:'source', 'https://example.com/', 0, 'archived', 0);
SELECT knowledge_base, document_id, reason, attempts, next_try, source_id = :'source' AS of_source, url FROM kb_rag.failed WHERE url IS NOT NULL;
SELECT kb_drop('kinds');
SELECT count(*) FROM kb_rag.job;
ALTER TABLE kb_rag.job ADD CONSTRAINT job_kind_check :job_kind;
ALTER TABLE kb_rag.pause ADD CONSTRAINT pause_kind_check :pause_kind;
ALTER TABLE kb_rag.web_page ADD CONSTRAINT web_page_status_check :page_status;
