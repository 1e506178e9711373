-- Bases of every kind for the tests of updates: dev/freeze dumps them with the version that is released. Their owner is the
-- superuser who runs this, and privileges are PUBLIC's, so that the dump needs no role. No worker runs: what is queued stays queued.
SET client_min_messages = warning;
CREATE EXTENSION kb_rag CASCADE;
-- All vectors of local models are made at once.
SET kb_rag.inline_chunks = 1000000;

-- The local model, readable by all.
SELECT kb_create('handbook', 'how we work');
INSERT INTO kb_handbook.document (title, content, metadata) VALUES
    ('Refunds', 'You can return any item within thirty days. The money goes back to the card you paid with.', '{"team": "sales"}'),
    ('Delivery', 'Parcels within Europe arrive in three to five working days.', '{}');
SELECT kb_grant('handbook', 'public', 'read');

-- Settings of its own, headings, a language, changed, empty and deleted documents, and agents.
SELECT kb_create('Old notes', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20, chunk_strategy => 'markdown',
    text_config => 'english', title_weight => 3);
INSERT INTO kb_old_notes.document (title, source_key, content)
SELECT 'Note ' || n, 'notes/' || n || '.md', E'# Part ' || n || E'\n\nCats and dogs and animal number ' || n || repeat(' and more', n % 5)
FROM generate_series(1, 8) n;
INSERT INTO kb_old_notes.document (title, content, language) VALUES ('Tiere', 'Die Katzen und die Hunde schlafen in den Häusern.', 'de');
INSERT INTO kb_old_notes.document (title, content) VALUES ('Empty', '');
UPDATE kb_old_notes.document SET content = content || ' changed' WHERE title = 'Note 3';
DELETE FROM kb_old_notes.document WHERE title IN ('Note 7', 'Note 8');
SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'Old notes');
SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000b', 'Old notes', '{"title": "Note 1"}');

-- Imported chunks and vectors.
CREATE TABLE measured (doc text, n int, body text, v float4[]);
INSERT INTO measured VALUES ('tea', 0, 'Tea needs four minutes.', '{1,0,0}'), ('tea', 1, 'Milk comes later.', '{0,1,0}');
SELECT kb_create('drinks', model => 'fake/example', dimensions => 3, text_config => 'english');
SELECT kb_import('drinks', 'measured', '{"document": "doc", "ordinal": "n", "content": "body", "embedding": "v"}');

-- Attached tables, one of them partitioned.
CREATE TABLE articles (id int PRIMARY KEY, headline text, body text, topic text);
INSERT INTO articles VALUES (1, 'Kettle', 'It boils a litre of water in two minutes.', 'kitchen'), (2, 'Lamp', 'It shines for nine hours.', 'light');
CREATE TABLE parts (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (100);
INSERT INTO parts VALUES (1, 'A hinge of brass.');
SELECT kb_create('shop', model => 'fake/test', dimensions => 8, text_config => 'english');
SELECT kb_attach('articles', 'shop', content => 'body', title => 'headline', metadata => '{topic}');
SELECT kb_attach('parts', 'shop', content => 'body', row_security => 'ignore');
CALL kb_work(30);

-- A document that waits for its vectors.
SELECT kb_create('waiting', model => 'fake/test', dimensions => 8, embed => 'queued', text_config => 'english');
INSERT INTO kb_waiting.document (title, content) VALUES ('Pending', 'What waits is embedded later.');

-- A provider, what it was used for, and a base with one of its models, which waits for it.
SELECT kb_provider_set('company', kind => 'openai', base_url => 'http://127.0.0.1:9/v1', headers => '{"X-Team": "search"}', timeout => '5 seconds',
    batch_items => 16, price_per_million => 0.5);
SELECT kb_provider_grant('company', 'public');
SELECT kb_create('cloud', model => 'company/m', dimensions => 4, text_config => 'english', match_threshold => 0.25);
INSERT INTO kb_cloud.document (title, content) VALUES ('Rain', 'It falls from clouds.');
INSERT INTO kb_rag.usage (knowledge_base_id, knowledge_base, model, at, calls, items, tokens, errors, cost)
SELECT id, name, 'company/m', '2026-11-22 12:00+00', 3, 30, 300, 1, 0.5 FROM kb_rag.knowledge_base WHERE name = 'cloud';

-- A change of the model that is under way.
SELECT kb_create('moving', model => 'fake/test', dimensions => 8, text_config => 'english');
INSERT INTO kb_moving.document (title, content) VALUES ('Boxes', 'Everything is in boxes.');
SELECT kb_configure('moving', model => 'company/next', dimensions => 4);

-- Each index over vectors, and none. 2,500 dimensions are indexed as halfvec.
SELECT kb_create('index ' || index_method, model => 'fake/test', dimensions => 8, text_config => 'english', index_method => index_method)
FROM unnest(ARRAY['hnsw', 'ivfflat', 'none']) index_method;
SELECT kb_create('wide', model => 'fake/test', dimensions => 2500, text_config => 'english');
SELECT kb_create('off', embed => 'off', text_config => 'english');
INSERT INTO kb_wide.document (content) VALUES ('A wide river.');
INSERT INTO kb_off.document (content) VALUES ('A bare river.');
INSERT INTO kb_index_hnsw.document (content) SELECT 'River number ' || n FROM generate_series(1, 20) n;
INSERT INTO kb_index_ivfflat.document (content) SELECT 'River number ' || n FROM generate_series(1, 20) n;
INSERT INTO kb_index_none.document (content) SELECT 'River number ' || n FROM generate_series(1, 20) n;

-- Each strategy of cutting, in tokens where the model counts them.
SELECT kb_create('cut ' || strategy, chunk_strategy => strategy, chunk_unit => 'token', chunk_size => 60, chunk_overlap => 8, text_config => 'english', ranker => 'ts_rank')
FROM unnest(ARRAY['text', 'markdown', 'code', 'semantic', 'none']) strategy;
INSERT INTO kb_cut_text.document (content) VALUES (repeat('Rivers run to the sea. ', 30));
INSERT INTO kb_cut_markdown.document (content) VALUES (E'# Rivers\n\n' || repeat('They run to the sea. ', 20) || E'\n\n## Lakes\n\nThey rest.');
INSERT INTO kb_cut_code.document (content, mime_type, source_type) VALUES (E'fn river() -> Sea {\n    run()\n}\n\nfn lake() {\n    rest()\n}\n', 'text/x-rust', 'code');
INSERT INTO kb_cut_semantic.document (content) VALUES (repeat('Rivers run to the sea. ', 10) || repeat('Invoices are due in May. ', 10));
INSERT INTO kb_cut_none.document (content) VALUES ('A short text.');

-- Several languages, one of them without spaces.
SELECT kb_create('languages', model => 'fake/test', dimensions => 8);
INSERT INTO kb_languages.document (title, content, language) VALUES
    ('Fluss', 'Die Flüsse fließen ins Meer.', 'German'), ('Rivière', 'Les rivières coulent vers la mer.', 'fr'), ('Река', 'Реки текут в море.', 'ru'), ('河流', '河流流入大海。', 'zh');

-- A web page, which a restored database does not fetch.
SELECT kb_create('web', model => 'fake/test', dimensions => 8, text_config => 'english');
SELECT kb_add_url('web', 'https://example.com/docs/', title => 'Docs', content_type => 'docs', crawl_depth => 2, exclude_patterns => '{/docs/old/*}',
    metadata => '{"team": "a"}', auto_sync => true, sync_interval => '6 hours');

-- A file, a view for other programs, policies, another name, and a prompt.
SELECT kb_create('files', model => 'fake/test', dimensions => 8, text_config => 'english');
SELECT kb_add_file('files', convert_to(E'# Rivers\n\nThey run to the sea.\n', 'UTF8'), 'rivers.md');
SELECT kb_expose('files');
ALTER TABLE kb_files.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY everybody ON kb_files.document USING (true);
SELECT kb_create('draft', model => 'fake/test', dimensions => 8, text_config => 'english');
SELECT kb_rename('draft', 'final');
SELECT kb_prompt_set('rewrite', 'Expand abbreviations.');
