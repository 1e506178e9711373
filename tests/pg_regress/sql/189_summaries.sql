-- Abstract and overview by a chat model: the setting, its rights, its table, and what it would take. Nothing here calls one:
-- tests/cluster does.
SET client_min_messages = warning;
SET kb_rag.workers = 0;
CREATE ROLE kb_test189_owner;
CREATE ROLE kb_test189_reader;
CREATE ROLE kb_test189_admin;
SELECT kb_grant_admin('kb_test189_owner');
SELECT kb_provider_set('corp', kind => 'openai', base_url => 'https://llm.invalid/v1', price_per_million => 2);
SELECT kb_provider_set('mute', kind => 'cohere', base_url => 'https://llm.invalid/v1');
SET ROLE kb_test189_owner;
SELECT FROM kb_create('notes', model => 'fake/e3', dimensions => 3);
SELECT kb_grant('notes', 'kb_test189_reader', 'read'), kb_grant('notes', 'kb_test189_admin', 'admin');
SELECT FROM kb_add('notes', 'The red handle drains the tank.', 'Tank', source_key => 'tank');
SELECT FROM kb_add('notes', repeat('A long text. ', 3000), source_key => 'long');
SELECT FROM kb_add('notes', '  ', source_key => 'blank');
UPDATE kb_notes.document SET abstract = 'Mine.', overview = 'Mine, longer.' WHERE source_key = 'blank';

-- Off by default. Only chat models of providers that the owner may use.
SELECT name, summaries FROM kb_list();
SELECT * FROM error_of($$SELECT kb_configure('notes', summaries => 'corp/chat')$$);
SELECT * FROM error_of($$SELECT * FROM kb_estimate('notes', summaries => 'corp/chat')$$);
RESET ROLE;
SELECT kb_provider_grant('corp', 'kb_test189_owner'), kb_provider_grant('mute', 'kb_test189_owner');
SET ROLE kb_test189_owner;
SELECT given, e.* FROM unnest('{local/all-minilm-l6-v2,fake/e3,nosuch/chat,mute/chat,chat,openai/gpt-4o-mini}'::text[]) given,
    error_of(format($$SELECT kb_configure('notes', summaries => %L)$$, given)) e;
SELECT count(*) AS tables FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relname = 'summary';

-- What it would take, before it is turned on: a long document is sent in part. All of it is priced as the provider's tokens.
SELECT model, chunks, calls, tokens, round(cost::numeric, 6) AS cost, round((cost / tokens * 1e6)::numeric, 6) AS price
FROM kb_estimate('notes', summaries => 'corp/chat');
SELECT e.* FROM error_of($$SELECT * FROM kb_estimate('notes', model => 'fake/e3', summaries => 'corp/chat')$$) e;
SELECT state, message FROM error_of($$SELECT * FROM kb_estimate('notes', outdated => true, summaries => 'corp/chat')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_estimate('notes', summaries => '')$$);

-- Turned on: a table of the owner, for the readers.
SELECT kb_configure('notes', summaries => 'corp/chat');
SELECT name, summaries FROM kb_list();
SELECT value FROM kb_notes.setting WHERE name = 'summaries';
SELECT r.grantee, string_agg(r.privilege_type, ', ' ORDER BY r.privilege_type) AS privileges
FROM information_schema.role_table_grants r
WHERE r.table_schema = 'kb_notes' AND r.table_name = 'summary' AND r.grantee <> 'kb_test189_owner' GROUP BY r.grantee ORDER BY r.grantee;
RESET ROLE;
SELECT count(*) AS queued FROM kb_rag.job WHERE kind = 'summary';
SET ROLE kb_test189_owner;
-- NULL leaves it, and so does any other change.
SELECT kb_configure('notes', summaries => NULL), kb_configure('notes', title_weight => 3);
SELECT name, summaries FROM kb_list();

-- A made text is known by its hash: one that a user writes loses its mark, and none stays when the content changes.
INSERT INTO kb_notes.summary (document_id, model, content_hash, abstract_hash, overview_hash)
SELECT id, 'corp/chat', content_hash, sha256('Made.'), sha256('Made longer.') FROM kb_notes.document WHERE source_key IN ('tank', 'long');
ALTER TABLE kb_notes.document DISABLE TRIGGER USER;
UPDATE kb_notes.document SET abstract = 'Made.', overview = 'Made longer.' WHERE source_key IN ('tank', 'long');
ALTER TABLE kb_notes.document ENABLE TRIGGER USER;
CREATE VIEW pg_temp.marks AS
SELECT d.source_key, d.abstract, d.overview, s.abstract_hash IS NOT NULL AS is_abstract_made, s.overview_hash IS NOT NULL AS is_overview_made
FROM kb_notes.document d LEFT JOIN kb_notes.summary s ON s.document_id = d.id;
SELECT * FROM pg_temp.marks ORDER BY source_key;
UPDATE kb_notes.document SET abstract = abstract, title = 'The tank' WHERE source_key = 'tank';
SELECT * FROM pg_temp.marks WHERE source_key = 'tank';
UPDATE kb_notes.document SET abstract = 'Mine, now.' WHERE source_key = 'tank';
SELECT * FROM pg_temp.marks WHERE source_key = 'tank';
UPDATE kb_notes.document SET content = 'The handle is green.' WHERE source_key = 'tank';
SELECT * FROM pg_temp.marks WHERE source_key = 'tank';
-- kb_reconcile follows what was written with the triggers off.
ALTER TABLE kb_notes.document DISABLE TRIGGER USER;
UPDATE kb_notes.document SET abstract = 'Unseen.', content = content || ' More.' WHERE source_key = 'long';
ALTER TABLE kb_notes.document ENABLE TRIGGER USER;
SELECT kb_reconcile('notes');
SELECT * FROM pg_temp.marks WHERE source_key = 'long';
-- A mark stays with a document that gets another id, and goes with it.
INSERT INTO kb_notes.summary (document_id, model, content_hash, overview_hash)
SELECT id, 'corp/chat', content_hash, sha256('Made longer.') FROM kb_notes.document WHERE source_key = 'tank';
ALTER TABLE kb_notes.document DISABLE TRIGGER USER;
UPDATE kb_notes.document SET overview = 'Made longer.' WHERE source_key = 'tank';
ALTER TABLE kb_notes.document ENABLE TRIGGER USER;
UPDATE kb_notes.document SET id = kb_rag.uuid_v7() WHERE source_key = 'tank';
SELECT * FROM pg_temp.marks WHERE source_key = 'tank';
DELETE FROM kb_notes.document WHERE source_key = 'tank';
SELECT count(*) AS marks FROM kb_notes.summary;
DROP VIEW pg_temp.marks;

-- Turned off: nothing is queued any more.
SELECT kb_configure('notes', summaries => '');
SELECT name, summaries FROM kb_list();
SELECT FROM kb_add('notes', 'Another text.');
RESET ROLE;
SELECT count(*) AS queued FROM kb_rag.job WHERE kind = 'summary';

-- Administrators may turn it on, with the grant of the owner; readers may not.
SET ROLE kb_test189_reader;
SELECT state, message FROM error_of($$SELECT kb_configure('notes', summaries => 'corp/chat')$$);
SELECT count(*) AS marks FROM kb_notes.summary;
SET ROLE kb_test189_admin;
SELECT kb_configure('notes', summaries => 'corp/chat');
TRUNCATE kb_notes.document CASCADE;
RESET ROLE;
-- A provider is dropped: the base is named. Then a relation that is not kb_rag's.
SET client_min_messages = notice;
\set VERBOSITY default
SELECT kb_provider_drop('corp');
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT state, message FROM error_of($$SELECT kb_configure('notes', summaries => 'corp/chat')$$);
SELECT kb_provider_set('corp', kind => 'openai', base_url => 'https://llm.invalid/v1');
SELECT kb_provider_grant('corp', 'kb_test189_owner');
DROP TABLE kb_notes.summary;
CREATE TABLE kb_notes.summary (id int);
SELECT * FROM error_of($$SELECT kb_configure('notes', summaries => 'corp/chat')$$);
DROP TABLE kb_notes.summary;
SELECT kb_configure('notes', summaries => 'corp/chat');
SELECT kb_drop('notes');
SELECT count(*) AS schemas FROM pg_namespace WHERE nspname = 'kb_notes';
DROP OWNED BY kb_test189_owner, kb_test189_reader, kb_test189_admin;
DROP ROLE kb_test189_owner, kb_test189_reader, kb_test189_admin;
SELECT kb_provider_drop('corp'), kb_provider_drop('mute');
