-- Chunks and vectors from an existing table.
SET client_min_messages = warning;
CREATE TABLE old_chunks (id serial, doc int, n int, "The Text" text, vec vector(4), name text, meta jsonb, part text);
INSERT INTO old_chunks (doc, n, "The Text", vec, name, meta, part) VALUES
    (2, 1, 'A kiwi is a fruit.', '[0,1,0,0]', 'Fruit', '{"kind": "food"}', 'Kiwis'),
    (1, 2, 'It sails back — at nine.', '[0,0.6,0.8,0]', 'Ferries', '{"kind": "travel"}', NULL),
    (1, 1, 'The ferry leaves at noon.', '[1,0,0,0]', 'Ferries', '{"kind": "travel"}', NULL),
    (1, 3, 'Die Fähre hält 你好 once.', '[0,0,2,0]', 'Ferries', '{"kind": "travel"}', NULL),
    (3, 1, '   ', '[0,0,0,1]', 'Blank', '{}', NULL);
-- The model that made the vectors need not be available here.
SELECT kb_create('imp', model => 'fake/gone', dimensions => 4, chunk_size => 10, chunk_overlap => 0) IS NOT NULL AS created;
UPDATE kb_rag.knowledge_base SET model = 'local/gone';
SET client_min_messages = notice;
SELECT kb_import('imp', 'old_chunks', '{"content": "The Text", "embedding": "vec", "document": "doc", "ordinal": "n", "title": "name", "metadata": "meta", "heading": "part"}');
SET client_min_messages = warning;
SELECT source_type, source_key, title, content, metadata, status, imported, content_hash = sha256(convert_to(content, 'UTF8')) AS hashed FROM kb_imp.document ORDER BY source_key;
SELECT d.source_key, c.ordinal, c.heading, c.content = substr(d.content, c.start_char + 1, c.end_char - c.start_char) AS at_offsets, c.content, e.embedding, c.metadata
FROM kb_imp.document d JOIN kb_imp.chunk c ON c.document_id = d.id JOIN kb_imp.embedding e ON e.chunk_id = c.id ORDER BY 1, 2;
SELECT sum(chunks) AS chunks, sum(length) = (SELECT sum(length) FROM kb_imp.chunk) AS length FROM (SELECT sign * chunks AS chunks, sign * length AS length FROM kb_imp.keyword_segment) s;

-- Searches, with the caller's own vector where the model is not available.
SELECT title, content FROM kb_search('ferry noon', 'imp', 'keyword');
SELECT content, round(similarity::numeric, 2) AS similarity, semantic_rank, keyword_rank FROM kb_hybrid_search('kiwi', 'imp', query_embedding => '[0,1,0,0]');
SELECT content FROM kb_search('kiwi', 'imp', 'semantic', 1, query_embedding => '[0,1,0,0]');
SELECT m.content FROM kb_list() l, match_knowledge_chunks(l.id, '[1,0,0,0]', 1) m;
SELECT state, message FROM error_of($$SELECT * FROM kb_search('kiwi', 'imp', 'semantic')$$);

-- A second import replaces the documents; nothing is chunked again as long as the text is the same.
CREATE TABLE vectors AS SELECT e.* FROM kb_imp.embedding e;
UPDATE old_chunks SET "The Text" = 'It sails back at ten.' WHERE doc = 1 AND n = 2;
SELECT kb_import('imp', 'old_chunks', '{"content": "The Text", "embedding": "vec", "document": "doc", "ordinal": "n", "title": "name", "metadata": "meta"}');
SELECT count(*) AS documents, (SELECT count(*) FROM kb_imp.chunk) AS chunks, (SELECT count(*) FROM kb_imp.embedding) AS vectors FROM kb_imp.document;
SELECT content FROM kb_search('ten', 'imp', 'keyword');
UPDATE kb_rag.knowledge_base SET model = 'fake/here';
UPDATE kb_imp.setting SET value = 'fake/here' WHERE name = 'model';
SELECT kb_reconcile('imp');
UPDATE kb_imp.document SET metadata = metadata || '{"year": 1}', source_key = 'two.md' WHERE source_key = '2';
SELECT d.source_key, d.imported, c.content, c.metadata ->> 'year' AS year, c.metadata ->> 'filePath' AS path FROM kb_imp.document d JOIN kb_imp.chunk c ON c.document_id = d.id ORDER BY 1, c.ordinal;
SELECT kb_reconcile('imp');
SELECT kb_configure('imp', chunk_size => 12, text_config => 'simple');
SELECT count(*) AS chunks, count(*) FILTER (WHERE text_config ~ 'simple') AS simple FROM kb_imp.chunk;
SELECT kb_configure('imp', dimensions => 6);
SELECT count(*), min(vector_dims(embedding)) FROM kb_imp.embedding;
SELECT kb_reconcile('imp');
-- A changed text is chunked with the settings of the base. So are documents that lost a vector, or were changed without
-- triggers.
UPDATE kb_imp.document SET content = content || ' More.' WHERE source_key = 'two.md';
SELECT imported, count(*) > 1 AS cut FROM kb_imp.document d JOIN kb_imp.chunk c ON c.document_id = d.id WHERE source_key = 'two.md' GROUP BY 1;
DELETE FROM kb_imp.embedding WHERE chunk_id = (SELECT c.id FROM kb_imp.chunk c JOIN kb_imp.document d ON d.id = c.document_id WHERE d.source_key = '1' LIMIT 1);
SELECT kb_reconcile('imp');
SELECT source_key, imported, count(*) > 3 AS cut FROM kb_imp.document d JOIN kb_imp.chunk c ON c.document_id = d.id GROUP BY 1, 2 ORDER BY 1;
SELECT kb_reconcile('imp');

-- An imported document can be marked to be chunked again; the reverse is not possible.
CREATE VIEW again AS SELECT 'again' AS doc, 'One sentence. Another sentence.' AS body, '[1,2,3,4,5,6]' AS v;
SELECT kb_import('imp', 'again', '{"content": "body", "embedding": "v", "document": "doc"}');
UPDATE kb_imp.document SET imported = false WHERE source_key = 'again';
SELECT imported, count(*) FROM kb_imp.document d JOIN kb_imp.chunk c ON c.document_id = d.id WHERE source_key = 'again' GROUP BY 1;
UPDATE kb_imp.document SET imported = true WHERE source_key = 'again';
SELECT imported FROM kb_imp.document WHERE source_key = 'again';

-- Vectors of other types, rows without a document, views.
SELECT kb_create('plain', model => 'fake/x', dimensions => 4, embed => 'inline') IS NOT NULL AS created;
CREATE VIEW as_arrays AS SELECT "The Text" AS body, vec::real[] AS v FROM old_chunks WHERE doc < 3;
CREATE VIEW as_halfvec AS SELECT "The Text" AS body, vec::halfvec(4) AS v FROM old_chunks WHERE doc < 3;
CREATE VIEW as_text AS SELECT "The Text" AS body, vec::text AS v FROM old_chunks WHERE doc < 3;
SELECT kb_import('plain', 'as_arrays', '{"content": "body", "embedding": "v"}'), kb_import('plain', 'as_halfvec', '{"content": "body", "embedding": "v", "title": null}'),
    kb_import('plain', 'as_text', '{"content": "body", "embedding": "v"}');
SELECT count(*) AS documents, count(DISTINCT content) AS texts, count(source_key) AS keys FROM kb_plain.document;
INSERT INTO kb_plain.document (content, imported) VALUES ('Own text, cut and embedded.', true);
SELECT imported, (SELECT count(*) FROM kb_plain.chunk c WHERE c.document_id = d.id) AS chunks FROM kb_plain.document d WHERE content ~ 'Own';

-- Source types, summaries and times; rows of the same type and key replace each other, and the earliest time is the document's.
CREATE TABLE old_pages (doc text, n int, body text, v vector(4), kind text, short text, longer text, made timestamptz);
INSERT INTO old_pages VALUES
    ('a', 2, 'Second.', '[0,1,0,0]', 'webpage', 'In short.', 'At length.', '2024-05-02 12:00+00'),
    ('a', 1, 'First.', '[1,0,0,0]', 'webpage', 'In short.', 'At length.', '2024-05-01 12:00+00'),
    ('a', 3, 'Third.', '[0,0,1,0]', 'webpage', 'In short.', 'At length.', NULL),
    ('b', 1, 'Other.', '[0,0,0,1]', NULL, NULL, NULL, '-infinity'),
    ('c', 1, 'New.', '[0,0,1,1]', 'docs', NULL, NULL, NULL);
\set mapping '{"content": "body", "embedding": "v", "document": "doc", "ordinal": "n", "source_type": "kind", "abstract": "short", "overview": "longer", "created_at": "made"}'
SELECT kb_import('plain', 'old_pages', :'mapping');
SELECT kb_import('plain', 'old_pages', :'mapping');
SELECT source_type, source_key, content, abstract, overview, CASE WHEN created_at < '2025-01-01' THEN created_at AT TIME ZONE 'UTC' END AS created, status
FROM kb_plain.document WHERE source_key IN ('a', 'b', 'c') ORDER BY source_key;
SELECT source_type, count(*) FROM kb_plain.chunk WHERE content IN ('First.', 'Second.', 'Third.', 'Other.', 'New.') GROUP BY 1 ORDER BY 1;
UPDATE old_pages SET short = 'Otherwise.' WHERE n = 3;
SELECT * FROM error_of(format('SELECT kb_import(''plain'', ''old_pages'', %L)', :'mapping'));

-- Languages without a text search configuration are reported once.
CREATE VIEW of_languages AS SELECT 'Text ' || l AS body, '[1,0,0,0]' AS v, l AS tongue FROM unnest(ARRAY['Deutsch', 'xx', 'yy']) l;
SELECT kb_import('plain', 'of_languages', '{"content": "body", "embedding": "v", "language": "tongue"}');
SELECT c.content, c.text_config FROM kb_plain.chunk c WHERE c.content ~ '^Text' ORDER BY 1;

-- Invalid arguments change nothing.
SELECT count(*) AS documents FROM kb_plain.document \gset
SELECT state, message, hint FROM error_of($$SELECT kb_import('plain', 'old_chunks', '[]')$$);
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "The Text"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "The Text", "vector": "vec"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": 1, "embedding": "vec"}')$$);
SELECT * FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "nowhere", "embedding": "vec"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'as_text', '{"content": "body", "embedding": "v", "title": "Body"}')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "The Text", "embedding": "meta"}')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "The Text", "embedding": "vec", "created_at": "doc"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'no_such_table', '{"content": "The Text", "embedding": "vec"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('nowhere', 'old_chunks', '{"content": "The Text", "embedding": "vec"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('plain', NULL, '{}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'old_chunks', NULL)$$);
SELECT * FROM error_of($$SELECT kb_import('imp', 'old_chunks', '{"content": "The Text", "embedding": "vec"}')$$);
UPDATE old_chunks SET name = 'Other' WHERE doc = 1 AND n = 3;
SELECT * FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "The Text", "embedding": "vec", "document": "doc", "title": "name"}')$$);
UPDATE old_chunks SET vec = NULL WHERE doc = 1 AND n = 3;
SELECT * FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "The Text", "embedding": "vec"}')$$);
UPDATE old_chunks SET vec = '[0,0,0,0]' WHERE doc = 1 AND n = 3;
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "The Text", "embedding": "vec"}')$$);
UPDATE old_chunks SET vec = '[0,0,0,1]', "The Text" = repeat('word ', 300000) WHERE doc = 1 AND n = 3;
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'old_chunks', '{"content": "The Text", "embedding": "vec"}')$$);
SELECT count(*) = :documents AS unchanged FROM kb_plain.document;

-- The table is read with the caller's privileges, and the triggers work again after an error.
CREATE ROLE kb_regress_importer;
SELECT format('GRANT USAGE, CREATE ON SCHEMA kb_plain TO kb_regress_importer') \gexec
SET ROLE kb_regress_importer;
SELECT state, message FROM error_of($$SELECT kb_import('plain', 'public.old_chunks', '{"content": "The Text", "embedding": "vec"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('imp', 'public.as_text', '{"content": "body", "embedding": "v"}')$$);
RESET ROLE;
SELECT kb_add('plain', 'The triggers go on.') IS NOT NULL AS added;
SELECT content FROM kb_search('triggers', 'plain', 'keyword');
SELECT kb_drop('imp'), kb_drop('plain');
DROP TABLE old_chunks, vectors, old_pages CASCADE;
DROP VIEW again, of_languages;
DROP ROLE kb_regress_importer;
