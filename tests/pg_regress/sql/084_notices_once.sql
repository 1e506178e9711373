-- Searches that find nothing for a reason: a notice, once a session.
\set VERBOSITY default
SET kb_rag.test_limits = 'max_read=20';
SELECT kb_create('notes', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('mute', model => 'fake/test', dimensions => 8, embed => 'off') IS NOT NULL AS created;
SELECT kb_add('notes', 'Cats sleep.') IS NOT NULL AND kb_add('notes', 'Dogs bark.', source_type => 'webpage') IS NOT NULL
    AND kb_add('mute', 'Birds sing.') IS NOT NULL AS added;

-- An agent without bases.
SELECT count(*) FROM kb_search('cats', agent_id => 'a0000000-0000-0000-0000-000000000001');
SELECT count(*) FROM kb_search('cats', agent_id => 'a0000000-0000-0000-0000-000000000001');
SELECT count(*) FROM match_knowledge_chunks('a0000000-0000-0000-0000-000000000001', kb_embed('cats', 'fake/test', 8));
SELECT count(*) FROM match_knowledge_chunks('a0000000-0000-0000-0000-000000000002', kb_embed('cats', 'fake/test', 8));
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000003', 'notes');
SELECT count(*) FROM kb_search('cats', agent_id => 'a0000000-0000-0000-0000-000000000003');

-- A source type that no document has, where nothing was found.
SELECT count(*) FROM kb_search('cats', 'notes', source_type => 'webpages');
SELECT count(*) FROM kb_search('cats', 'notes', source_type => 'webpages');
SELECT count(*) FROM kb_search('cats', 'notes', source_type => 'code');
SELECT count(*) FROM kb_search('cats', source_type => 'code');
SELECT count(*) FROM kb_search('cats', 'notes', 'keyword', source_type => 'webpage');
SELECT count(*) FROM kb_search('birds', 'mute', source_type => 'webpages');
SELECT count(*) FROM kb_search('cats', 'notes', filter => '{"a": 1}');
BEGIN READ ONLY;
SELECT count(*) FROM kb_search('dogs', 'notes', 'semantic', source_type => 'table');
ROLLBACK;
-- Nothing is told of an empty base, nor where more documents would have to be read, nor of an altered column.
SELECT kb_create('many', model => 'fake/test', dimensions => 2, embed => 'off') IS NOT NULL AS created;
SELECT count(*) FROM kb_search('cats', 'many', source_type => 'code');
INSERT INTO kb_many.document (content) SELECT 'x' FROM generate_series(1, 21);
SELECT count(*) FROM kb_search('cats', 'many', source_type => 'code');
DELETE FROM kb_many.document WHERE id IN (SELECT id FROM kb_many.document LIMIT 1);
SELECT count(*) FROM kb_search('cats', 'many', source_type => 'code');
ALTER TABLE kb_many.document RENAME COLUMN source_type TO kind;
SELECT count(*) FROM kb_search('cats', 'many', source_type => 'webpages');
SET client_min_messages = warning;
SELECT kb_drop('many');
RESET client_min_messages;
-- Under row security it is told of the documents that the caller may see.
CREATE ROLE kb_test084_reader;
SELECT kb_grant('notes', 'kb_test084_reader', 'read');
ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY cats ON kb_notes.document FOR SELECT TO kb_test084_reader USING (content LIKE 'Cats%');
SET ROLE kb_test084_reader;
SELECT count(*) FROM kb_search('cats', 'notes', source_type => 'webpage');
RESET ROLE;

-- A filter that no chunk can pass: a key, or a type of values, that none has. Told of the chunks that may be found.
SELECT kb_create('shop', model => 'fake/test', dimensions => 8, embed => 'off') IS NOT NULL AS created;
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"teem": "a"}');
SELECT kb_add('shop', 'Cats sleep.', metadata => '{"team": "a", "views": 20, "author": {"name": "x"}, "tags": ["b"]}')
    IS NOT NULL AND kb_add('shop', 'Dogs bark.', metadata => '{"team": "b", "secret": 1, "views": "many"}') IS NOT NULL AS added;
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"teem": "a"}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"teem": "a"}');
SELECT count(*) FROM kb_hybrid_search('cats', 'shop', filter => '{"team": "a", "secrets": 1}');
SELECT count(*) FROM kb_search_documents('cats', 'shop', filter => '{"colour": "red"}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"views": true}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"secret": "1"}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"views": {"gte": 10}}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"must": [{"key": "team"}]}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"author": {"nam": "x"}}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"tags": "b"}');
-- Nor does a text in another case pass.
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"team": " A"}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"author": {"name": "X"}}');
-- Nothing is told of other values, nor where something is found, nor of bases with more chunks than are read.
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"team": "c"}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"author": {"name": "y"}}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"views": 20, "tags": ["b"]}');
SELECT count(*) FROM kb_search('fishes', 'shop', 'keyword', filter => '{"views": 20}');
BEGIN;
SET LOCAL kb_rag.test_limits = 'max_read=1';
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"tame": "a"}');
ROLLBACK;
-- Neither row security nor the filter of an agent lets a key be seen.
ALTER TABLE kb_shop.document ENABLE ROW LEVEL SECURITY;
SELECT kb_grant('shop', 'kb_test084_reader', 'read');
CREATE POLICY cats ON kb_shop.document FOR SELECT TO kb_test084_reader USING (content LIKE 'Cats%');
SET ROLE kb_test084_reader;
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"secret": 2}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"secrex": 2}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"views": "many"}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"team": "A"}');
SELECT count(*) FROM kb_search('cats', 'shop', filter => '{"team": "B"}');
RESET ROLE;
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000004', 'shop', filter => '{"team": "a"}');
SELECT count(*) FROM kb_search('cats', agent_id => 'a0000000-0000-0000-0000-000000000004', filter => '{"secret_": 3}');
SELECT kb_drop('shop');

-- The mode semantic where no vectors are made.
SELECT count(*) FROM kb_search('birds', 'mute', 'semantic');
SELECT count(*) FROM kb_search('birds', 'mute', 'semantic');
SELECT count(*) FROM kb_search('birds', mode => 'semantic');
SELECT count(*) FROM kb_search('birds', 'mute');
SELECT count(*) FROM kb_search('birds', 'mute', 'keyword');
SELECT kb_create('dumb', model => 'fake/test', dimensions => 8, embed => 'off') IS NOT NULL AS created;
SELECT count(*) FROM kb_search('birds', mode => 'semantic');
-- The mode semantic where no chunk has a vector yet; without chunks there is nothing to wait for.
SET kb_rag.inline_chunks = 0;
SELECT kb_create('late', model => 'fake/test', dimensions => 8, embed => 'queued') IS NOT NULL AS created;
SELECT count(*) FROM kb_search('frogs', 'late', 'semantic');
BEGIN;
SELECT kb_add('late', 'Frogs jump.') IS NOT NULL AS added;
SELECT count(*) FROM kb_search('frogs', 'late', 'semantic');
SELECT count(*) FROM kb_search('frogs', 'late', 'semantic');
SELECT count(*) FROM kb_search('frogs', 'late', 'keyword');
ROLLBACK;
RESET kb_rag.inline_chunks;

-- A query of stop words only, where nothing else is found either. One that only excludes has lexemes.
SELECT kb_create('english', model => 'fake/test', dimensions => 8, text_config => 'english') IS NOT NULL AS created;
SELECT kb_add('english', 'To be or not to be.') IS NOT NULL AS added;
SELECT count(*) FROM kb_search('-cats', 'english', 'keyword', syntax => 'web');
SELECT count(*) FROM kb_search('"to be" -or', 'english', 'keyword');
SELECT count(*) FROM kb_search('the', 'english');
SELECT count(*) FROM kb_search('the', 'english', 'keyword');
SELECT count(*) FROM kb_search('to be', 'english', 'keyword');

-- Another session is told again.
\c -
SELECT count(*) FROM kb_search('birds', 'mute', 'semantic');

SELECT kb_drop(name) FROM kb_list();
-- Nothing that may be searched.
SELECT count(*) FROM kb_search('birds');
SELECT count(*) FROM kb_search('birds');
DROP OWNED BY kb_test084_reader;
DROP ROLE kb_test084_reader;
