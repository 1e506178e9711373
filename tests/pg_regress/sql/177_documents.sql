-- kb_search_documents, kb_read, kb_browse, kb_stats, kb_delete and kb_refresh.
SET client_min_messages = warning;
CREATE ROLE kb_test177_tenant;
CREATE ROLE kb_test177_reader;
CREATE ROLE kb_test177_writer;
SELECT kb_grant_admin('kb_test177_tenant');
SELECT kb_create('papers', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 0, chunk_strategy => 'text') IS NOT NULL AS created;
INSERT INTO kb_papers.document (id, title, source_key, source_type, content, mime_type, language, abstract, overview, metadata, created_at) VALUES
    ('a0000000-0000-0000-0000-000000000001', 'Tea', 'drinks/tea.md', 'document',
        E'# Tea\n\n' || repeat('Tea needs four minutes. ', 100), 'text/markdown', 'en', NULL, NULL, '{"topic": "drinks"}', '2026-01-01 00:00+00'),
    ('a0000000-0000-0000-0000-000000000002', 'Coffee', 'drinks/coffee.txt', 'document',
        repeat('Coffee needs a filter. ', 30), NULL, NULL, 'All about coffee.', 'Filters, beans and water.', '{"topic": "drinks"}', '2026-01-02 00:00+00'),
    ('a0000000-0000-0000-0000-000000000003', 'main.py', 'main.py', 'code', E'def main():\n    print("tea")\n', NULL, NULL, NULL, NULL, '{}', '2026-01-03 00:00+00'),
    ('a0000000-0000-0000-0000-000000000004', NULL, NULL, 'note', '', NULL, NULL, NULL, NULL, '{}', '2026-01-03 00:00+00');

-- One row a document, in the order of the best chunks, with the scores of those.
SELECT document_id, knowledge_base, title, source, source_type, length(abstract) AS abstract, length(overview) AS overview, text = overview AS is_overview, score > 0 AS scored, metadata
FROM kb_search_documents('tea minutes', 'papers', mode => 'keyword');
SELECT count(*) AS documents, count(DISTINCT d.document_id) AS distinct_documents, bool_and(d.best_chunk_id = s.chunk_id AND d.score = s.score AND d.similarity IS NOT DISTINCT FROM s.similarity) AS as_kb_search
FROM kb_search_documents('tea minutes', 'papers', 10) WITH ORDINALITY d
JOIN kb_search('tea minutes', 'papers', match_count => 10, max_per_document => 1) WITH ORDINALITY s USING (ordinality);
SELECT count(*) FROM kb_search_documents('tea minutes', 'papers', match_count => 1);
-- The arguments of kb_search.
SELECT title FROM kb_search_documents('tea', 'papers', mode => 'keyword', source_type => 'code');
SELECT title FROM kb_search_documents('needs', 'papers', mode => 'keyword', filter => '{"topic": "drinks"}') ORDER BY 1;
SELECT count(*) FROM kb_search_documents('needs', 'papers', filter => '{"topic": "food"}');
SELECT title FROM kb_search_documents('tea', agent_id => (SELECT id FROM kb_list() WHERE name = 'papers'), mode => 'keyword') ORDER BY 1;
SELECT count(*) FROM kb_search_documents('tea', 'papers', mode => 'semantic', match_threshold => 0.99999);
SELECT title, round(similarity::numeric, 3) AS similarity
FROM kb_search_documents('x', 'papers', mode => 'semantic', match_count => 1, query_embedding => kb_embed(E'main.py\ndef main():\n    print("tea")', 'fake/test', 8));
-- Each level.
SELECT level, text = abstract AS is_abstract, text = overview AS is_overview, length(text) AS length
FROM unnest('{abstract,overview,content}'::text[]) level, kb_search_documents('minutes', 'papers', 1, 'keyword', level => level);

-- Summaries are what the user wrote, else the first sentences.
SELECT title, abstract, left(overview, 60) AS overview, length(overview) AS length FROM kb_read('a0000000-0000-0000-0000-000000000001');
SELECT abstract, overview, text = (SELECT content FROM kb_papers.document WHERE id = document_id) AS whole FROM kb_read('a0000000-0000-0000-0000-000000000002');
UPDATE kb_papers.document SET abstract = ' ', overview = '' WHERE title = 'Coffee';
SELECT length(abstract) AS abstract, length(overview) AS overview FROM kb_read('a0000000-0000-0000-0000-000000000002');
UPDATE kb_papers.document SET abstract = 'All about coffee.', overview = 'Filters, beans and water.' WHERE title = 'Coffee';
-- A heading alone, front matter and leading white space are no summary.
INSERT INTO kb_papers.document (id, content) VALUES
    ('c0000000-0000-0000-0000-000000000001', E'---\ntitle: x\n---\n# ' || repeat('A long heading ', 10) || E'\n\n' || repeat('word ', 55) || E'end.\n\nMore. ' || repeat('And more. ', 1000)),
    ('c0000000-0000-0000-0000-000000000002', repeat(E' \n', 10000) || 'After much white space. ' || repeat('More. ', 2000));
SELECT left(abstract, 30) AS abstract, length(abstract) AS length, left(overview, 30) AS overview, length(overview) AS length
FROM unnest('{c0000000-0000-0000-0000-000000000001,c0000000-0000-0000-0000-000000000002}'::uuid[]) id, kb_read(id, 'abstract');
DELETE FROM kb_papers.document WHERE id::text LIKE 'c%';

-- Reading.
SELECT document_id, knowledge_base, title, source, source_type, mime_type, language, status, error_message, chunks, metadata, created_at = '2026-01-01 00:00+00' AS created, updated_at IS NOT NULL AS updated
FROM kb_read('a0000000-0000-0000-0000-000000000001');
SELECT chunks = (SELECT count(*) FROM kb_papers.chunk c WHERE c.document_id = r.document_id) AS counted FROM kb_read('a0000000-0000-0000-0000-000000000001') r;
SELECT level, length(text) AS length, text = abstract AS is_abstract, text = overview AS is_overview
FROM unnest('{abstract,overview,content}'::text[]) level, kb_read('a0000000-0000-0000-0000-000000000001', level, 'papers');
SELECT title, abstract, overview, text, chunks FROM kb_read('a0000000-0000-0000-0000-000000000004');
-- For each document of a list.
SELECT r.title FROM kb_browse('papers') b, kb_read(b.document_id) r;

-- Pages, the newest first, then by id.
SELECT document_id, knowledge_base, title, source, source_type, mime_type, status, error_message, chunks, left(abstract, 20) AS abstract, created_at = '2026-01-03 00:00+00' AS newest, updated_at IS NOT NULL AS updated FROM kb_browse('papers');
SELECT string_agg(coalesce(title, '-'), ' ') FROM kb_browse('papers', match_count => 2);
SELECT string_agg(coalesce(title, '-'), ' ') FROM kb_browse('papers', match_count => 2, match_offset => 1);
SELECT string_agg(coalesce(title, '-'), ' ') FROM kb_browse('papers', NULL, 2, 3);
SELECT count(*) FROM kb_browse('papers', match_offset => 4);
SELECT count(*) FROM kb_browse('papers', match_offset => 9223372036854775807);
SELECT title FROM kb_browse('papers', 'document');
SELECT count(*) FROM kb_browse('papers', 'webpage');
SELECT * FROM kb_stats('papers');

-- Without a name: the bases of the caller's circle.
SELECT kb_create('more', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
INSERT INTO kb_more.document (id, title, source_type, content, created_at) VALUES
    ('b0000000-0000-0000-0000-000000000001', 'Bread', 'document', 'Bread needs an hour.', '2026-01-02 12:00+00'),
    ('b0000000-0000-0000-0000-000000000002', 'Undated', 'webpage', 'At the end of time.', '-infinity'),
    ('a0000000-0000-0000-0000-000000000003', 'Same id', 'note', 'In two bases.', '2026-01-03 00:00+00');
SELECT knowledge_base, title FROM kb_browse();
SELECT knowledge_base, title FROM kb_browse(match_count => 3, match_offset => 2);
SELECT * FROM kb_stats();
-- NULL is the default.
SELECT count(*) AS all_of_them FROM (SELECT document_id FROM kb_browse(NULL, NULL, NULL, NULL) INTERSECT SELECT document_id FROM kb_browse()) b;
SELECT count(*) FROM (SELECT * FROM kb_stats(NULL) INTERSECT SELECT * FROM kb_stats()) s;
INSERT INTO kb_more.document (content, source_type) SELECT 'A page.', 'page' FROM generate_series(1, 25);
SELECT (SELECT count(*) FROM kb_browse('more', 'page')) AS a_page, (SELECT count(*) FROM kb_browse('more', 'page', match_offset => 20)) AS the_next;
DELETE FROM kb_more.document WHERE source_type = 'page';
SELECT knowledge_base, title FROM kb_read('b0000000-0000-0000-0000-000000000001');
SELECT knowledge_base, title FROM kb_search_documents('needs', mode => 'keyword') ORDER BY 1, 2;
SELECT * FROM error_of($$SELECT * FROM kb_read('a0000000-0000-0000-0000-000000000003')$$);
SELECT state, message FROM unnest('{kb_delete,kb_refresh}'::text[]) f, error_of(format('SELECT %s(%L)', f, 'a0000000-0000-0000-0000-000000000003'));
SELECT knowledge_base, title FROM unnest('{papers,more}'::text[]) kb, kb_read('a0000000-0000-0000-0000-000000000003', knowledge_base => kb);

-- No such document, and none of that base.
SELECT * FROM error_of($$SELECT * FROM kb_read('00000000-0000-0000-0000-000000000000')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_read('b0000000-0000-0000-0000-000000000001', knowledge_base => 'papers')$$);
SELECT kb_delete('00000000-0000-0000-0000-000000000000'), kb_refresh('00000000-0000-0000-0000-000000000000'),
    kb_delete('b0000000-0000-0000-0000-000000000001', 'papers') AS of_another, kb_refresh('b0000000-0000-0000-0000-000000000001', 'papers') AS of_another;

-- Invalid arguments.
SELECT call, e.* FROM unnest(ARRAY[
    $$kb_search_documents(NULL)$$, $$kb_search_documents('tea', 'paper')$$, $$kb_search_documents('tea', 'papers', 0)$$, $$kb_search_documents('tea', 'papers', mode => 'fast')$$,
    $$kb_search_documents('tea', 'papers', level => 'L0')$$, $$kb_search_documents('', 'papers')$$, $$kb_search_documents('tea', 'papers', filter => '[]')$$,
    $$kb_read(NULL)$$, $$kb_read('a0000000-0000-0000-0000-000000000001', 'full')$$, $$kb_read('a0000000-0000-0000-0000-000000000001', knowledge_base => 'paper')$$,
    $$kb_browse('paper')$$, $$kb_browse('papers', match_count => 0)$$, $$kb_browse('papers', match_count => 10001)$$, $$kb_browse('papers', match_offset => -1)$$,
    $$kb_stats('paper')$$, $$kb_delete(NULL)$$, $$kb_delete('a0000000-0000-0000-0000-000000000001', 'paper')$$, $$kb_refresh(NULL)$$, $$kb_refresh('a0000000-0000-0000-0000-000000000001', 'paper')$$
]) call, error_of('SELECT * FROM ' || call) e;

-- Deleting takes the chunks and vectors along.
SELECT kb_delete('b0000000-0000-0000-0000-000000000002'), kb_delete('a0000000-0000-0000-0000-000000000003', 'more');
SELECT title FROM kb_more.document;
SELECT (SELECT count(*) FROM kb_more.chunk) AS chunks, (SELECT count(*) FROM kb_more.embedding) AS vectors;
SELECT kb_delete('b0000000-0000-0000-0000-000000000002') AS again;
SELECT count(*) FROM kb_browse('papers', 'code');

-- Cutting again: chunks that come out the same keep id and vector. Nothing else of the document changes.
CREATE TABLE before AS SELECT c.id, c.content, c.tsv, d.updated_at FROM kb_papers.document d JOIN kb_papers.chunk c ON c.document_id = d.id WHERE d.title = 'Tea';
CREATE VIEW since AS
SELECT count(*) AS chunks, count(e.chunk_id) AS vectors, count(b.id) AS same, bool_and(c.content IN (SELECT content FROM before)) AS same_texts,
    bool_and(c.tsv IN (SELECT tsv FROM before)) AS same_lexemes, count(*) FILTER (WHERE e.embedding = '[1,1,1,1,1,1,1,1]') AS kept_vectors,
    bool_and(d.updated_at = (SELECT max(updated_at) FROM before)) AS not_updated
FROM kb_papers.document d JOIN kb_papers.chunk c ON c.document_id = d.id LEFT JOIN kb_papers.embedding e ON e.chunk_id = c.id LEFT JOIN before b ON b.id = c.id
WHERE d.title = 'Tea';
UPDATE kb_papers.embedding e SET embedding = '[1,1,1,1,1,1,1,1]' FROM before b WHERE e.chunk_id = b.id;
SELECT kb_refresh('a0000000-0000-0000-0000-000000000001');
SELECT * FROM since;
-- What was changed or lost is made again: a text, a heading, lexemes, and vectors.
UPDATE kb_papers.chunk c SET content = 'Changed.' FROM before b WHERE c.id = b.id AND c.ordinal = 0;
SELECT kb_refresh('a0000000-0000-0000-0000-000000000001');
SELECT * FROM since;
UPDATE kb_papers.chunk c SET heading = 'Changed' FROM kb_papers.document d WHERE d.id = c.document_id AND d.title = 'Tea';
SELECT kb_refresh('a0000000-0000-0000-0000-000000000001');
SELECT count(*) FROM kb_papers.chunk WHERE heading = 'Changed';
UPDATE kb_papers.chunk c SET tsv = 'changed:1' FROM kb_papers.document d WHERE d.id = c.document_id AND d.title = 'Tea';
SELECT kb_refresh('a0000000-0000-0000-0000-000000000001');
SELECT * FROM since;
DELETE FROM kb_papers.embedding e USING kb_papers.chunk c, kb_papers.document d WHERE c.id = e.chunk_id AND d.id = c.document_id AND d.title = 'Tea';
SELECT kb_refresh('a0000000-0000-0000-0000-000000000001');
SELECT * FROM since;
DROP VIEW since;
SELECT kb_reconcile('papers');
SELECT sum(chunks) = (SELECT count(*) FROM kb_papers.chunk) AS figures FROM (SELECT sign * chunks AS chunks, sign * length AS length FROM kb_papers.keyword_segment) s;
-- The other documents are as they were.
UPDATE kb_papers.embedding e SET embedding = '[1,1,1,1,1,1,1,1]' FROM kb_papers.chunk c JOIN kb_papers.document d ON d.id = c.document_id AND d.title = 'Coffee' WHERE e.chunk_id = c.id;
SELECT kb_refresh('a0000000-0000-0000-0000-000000000001', 'papers');
SELECT bool_and(e.embedding = '[1,1,1,1,1,1,1,1]') AS kept FROM kb_papers.embedding e JOIN kb_papers.chunk c ON c.id = e.chunk_id JOIN kb_papers.document d ON d.id = c.document_id AND d.title = 'Coffee';
-- Chunks that were lost.
DELETE FROM kb_papers.chunk c USING kb_papers.document d WHERE d.id = c.document_id AND d.title = 'main.py';
SELECT kb_refresh('a0000000-0000-0000-0000-000000000003', 'papers');
SELECT chunks FROM kb_read('a0000000-0000-0000-0000-000000000003');
SELECT kb_refresh('a0000000-0000-0000-0000-000000000004') AS without_text;
DROP TABLE before;
-- Imported chunks are cut again too.
SELECT kb_create('imported', model => 'fake/test', dimensions => 3) IS NOT NULL AS created;
CREATE TABLE old_chunks (page text, n int, body text, vec vector(3));
INSERT INTO old_chunks VALUES ('tea', 1, 'Tea needs four minutes.', '[1,0,0]'), ('tea', 2, 'Milk comes later.', '[0,1,0]');
SELECT kb_import('imported', 'old_chunks', '{"content": "body", "embedding": "vec", "document": "page", "ordinal": "n"}');
SELECT kb_refresh(document_id), chunks FROM kb_browse('imported');
SELECT imported, c.content FROM kb_imported.document d JOIN kb_imported.chunk c ON c.document_id = d.id;
SELECT kb_drop('imported');
DROP TABLE old_chunks;

-- In a base whose vectors workers make, a refreshed document waits for those that it lacks; a failed one is tried again.
SELECT kb_configure('more', embed => 'queued');
DELETE FROM kb_more.embedding;
SELECT kb_refresh('b0000000-0000-0000-0000-000000000001');
SELECT status, chunks FROM kb_read('b0000000-0000-0000-0000-000000000001');
CALL kb_work();
SELECT status, chunks FROM kb_read('b0000000-0000-0000-0000-000000000001');
SELECT indexed, pending, failed FROM kb_rag.status WHERE knowledge_base = 'more';
UPDATE kb_more.document SET content = 'Bread needs two hours.' WHERE title = 'Bread';
UPDATE kb_rag.job SET failed = true, error = 'out of order';
ALTER TABLE kb_more.document DISABLE TRIGGER ALL;
UPDATE kb_more.document SET status = 'failed', error_message = 'out of order' WHERE title = 'Bread';
ALTER TABLE kb_more.document ENABLE TRIGGER ALL;
SELECT status, error_message FROM kb_read('b0000000-0000-0000-0000-000000000001');
SELECT status, error_message FROM kb_browse('more');
SELECT * FROM kb_stats('more');
SELECT kb_refresh('b0000000-0000-0000-0000-000000000001');
SELECT status, error_message FROM kb_read('b0000000-0000-0000-0000-000000000001');
SELECT failed, error FROM kb_rag.job;
CALL kb_work();
SELECT status, error_message FROM kb_read('b0000000-0000-0000-0000-000000000001');
SELECT kb_configure('more', embed => 'off');
SELECT kb_refresh('b0000000-0000-0000-0000-000000000001');
SELECT status, (SELECT count(*) FROM kb_more.embedding) AS vectors FROM kb_read('b0000000-0000-0000-0000-000000000001');

-- A document of an attached table would come back.
CREATE TABLE "Dishes" (id int PRIMARY KEY, body text);
INSERT INTO "Dishes" VALUES (1, 'Soup is hot.');
SELECT kb_attach('"Dishes"', 'more', 'body') IS NOT NULL AS attached;
SELECT document_id AS soup FROM kb_browse('more', 'table') \gset
SELECT e.state, replace(e.message, :'soup', '…') AS message, e.detail, e.hint FROM error_of(format('SELECT kb_delete(%L)', :'soup')) e;
SELECT kb_refresh(:'soup');
SELECT kb_detach('"Dishes"', 'more');
SELECT kb_delete(:'soup');
-- One of a table that was dropped does not.
SELECT kb_attach('"Dishes"', 'more', 'body') IS NOT NULL AS attached;
DROP TABLE "Dishes";
SELECT kb_delete(document_id) FROM kb_browse('more', 'table');

-- Rights. Readers read, and change nothing; writers do both. A base outside of the caller's circle has to be named.
SELECT kb_grant('papers', 'kb_test177_reader', 'read'), kb_grant('papers', 'kb_test177_writer', 'write');
SET ROLE kb_test177_tenant;
SELECT call, e.state, e.message FROM unnest(ARRAY[
    $$kb_search_documents('tea', 'papers')$$, $$kb_read('a0000000-0000-0000-0000-000000000001', knowledge_base => 'papers')$$, $$kb_browse('papers')$$, $$kb_stats('papers')$$,
    $$kb_delete('a0000000-0000-0000-0000-000000000001', 'papers')$$, $$kb_refresh('a0000000-0000-0000-0000-000000000001', 'papers')$$,
    -- Where no base is named, what may not be read does not exist.
    $$kb_read('a0000000-0000-0000-0000-000000000001')$$
]) call, error_of('SELECT * FROM ' || call) e;
SELECT (SELECT count(*) FROM kb_browse()) AS browsed, (SELECT count(*) FROM kb_stats()) AS types, (SELECT count(*) FROM kb_search_documents('tea')) AS found,
    kb_delete('a0000000-0000-0000-0000-000000000001') AS deleted, kb_refresh('a0000000-0000-0000-0000-000000000001') AS refreshed;
SET ROLE kb_test177_reader;
SELECT (SELECT count(*) FROM kb_browse()) AS browsed, (SELECT count(*) FROM kb_stats()) AS types, (SELECT count(*) FROM kb_search_documents('tea')) > 0 AS found,
    (SELECT title FROM kb_read('a0000000-0000-0000-0000-000000000001')) AS read;
SELECT e.* FROM error_of($$SELECT kb_delete('a0000000-0000-0000-0000-000000000001')$$) e;
SELECT call, e.state, e.message FROM unnest(ARRAY[
    $$kb_delete('a0000000-0000-0000-0000-000000000001', 'papers')$$, $$kb_delete('00000000-0000-0000-0000-000000000000', 'papers')$$,
    $$kb_refresh('a0000000-0000-0000-0000-000000000001')$$, $$kb_refresh('a0000000-0000-0000-0000-000000000001', 'papers')$$
]) call, error_of('SELECT ' || call) e;
SET ROLE kb_test177_writer;
SELECT kb_refresh('a0000000-0000-0000-0000-000000000002'), kb_delete('a0000000-0000-0000-0000-000000000002', 'papers');
SET ROLE kb_test177_tenant;
SELECT kb_create('theirs', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('theirs', 'A secret of theirs.', title => 'Theirs') AS theirs \gset
SELECT kb_grant('theirs', 'public', 'write');
SET ROLE kb_test177_reader;
SET client_min_messages = notice;
SELECT title FROM kb_browse(match_count => 1);
SELECT source_type FROM kb_stats() LIMIT 1;
SELECT title FROM kb_read('a0000000-0000-0000-0000-000000000001');
SELECT state FROM error_of(format('SELECT * FROM kb_read(%L)', :'theirs'));
SELECT kb_delete(:'theirs'), kb_refresh(:'theirs');
SELECT title FROM kb_read(:'theirs', knowledge_base => 'theirs');
SET client_min_messages = warning;
SELECT kb_refresh(:'theirs', 'theirs'), kb_delete(:'theirs', 'theirs');
RESET ROLE;
SELECT kb_drop('theirs');

-- Row security: what is hidden does not exist, and is not counted.
SELECT kb_create('shared', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
INSERT INTO kb_shared.document (id, title, source_type, content, metadata) VALUES
    ('d0000000-0000-0000-0000-000000000001', 'Open', 'document', 'An open heron.', '{"of": "kb_test177_writer"}'),
    ('d0000000-0000-0000-0000-000000000002', 'Hidden', 'document', 'A hidden heron.', '{"of": "nobody"}'),
    ('d0000000-0000-0000-0000-000000000003', 'Fixed', 'note', 'A fixed heron.', '{"of": "all"}');
ALTER TABLE kb_shared.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON kb_shared.document FOR SELECT USING (metadata->>'of' IN (current_user, 'all'));
CREATE POLICY change ON kb_shared.document FOR UPDATE USING (metadata->>'of' = current_user);
CREATE POLICY remove ON kb_shared.document FOR DELETE USING (metadata->>'of' = current_user);
SELECT kb_grant('shared', 'kb_test177_writer', 'write');
CREATE FUNCTION seen() RETURNS TABLE (what text, result text) LANGUAGE sql AS $$
    SELECT 'search', string_agg(title, ' ' ORDER BY title) FROM kb_search_documents('heron', 'shared', 50)
    UNION ALL SELECT 'browse', string_agg(title, ' ' ORDER BY title) FROM kb_browse('shared')
    UNION ALL SELECT 'stats', string_agg(format('%s: %s %s %s', s.source_type, s.documents, s.chunks, s.failed), ', ') FROM kb_stats('shared') s
    UNION ALL SELECT 'read ' || n, coalesce(e.message, e.state) FROM generate_series(1, 3) n, error_of(format('SELECT * FROM kb_read(%L)', 'd0000000-0000-0000-0000-00000000000' || n)) e
$$;
SELECT * FROM seen();
SET ROLE kb_test177_writer;
SELECT * FROM seen();
SELECT n, kb_refresh(id, 'shared') AS refreshed, kb_refresh(id) AS of_any FROM generate_series(1, 3) n, CAST('d0000000-0000-0000-0000-00000000000' || n AS uuid) id;
SELECT n, kb_delete(id) AS deleted, kb_delete(id, 'shared') AS again FROM generate_series(1, 3) n, CAST('d0000000-0000-0000-0000-00000000000' || n AS uuid) id;
RESET ROLE;
SELECT title FROM kb_shared.document ORDER BY title;
-- Policies of an owner that is not trusted run for a base that is named only.
ALTER TABLE kb_shared.document DISABLE ROW LEVEL SECURITY;
SET ROLE kb_test177_tenant;
SELECT kb_create('policed', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('policed', 'A policed heron.', title => 'Policed') AS policed \gset
CREATE TABLE kb_policed.ran_as (role name);
GRANT INSERT ON kb_policed.ran_as TO PUBLIC;
CREATE FUNCTION kb_policed.spy() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN INSERT INTO kb_policed.ran_as VALUES (current_user); RETURN true; END';
ALTER TABLE kb_policed.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY spy ON kb_policed.document USING (kb_policed.spy());
SELECT kb_grant('policed', 'kb_test177_writer', 'write');
SET ROLE kb_test177_writer;
SELECT (SELECT count(*) FROM kb_browse()) AS browsed, (SELECT sum(documents) FROM kb_stats()) AS documents, (SELECT count(*) FROM kb_search_documents('heron')) AS found,
    kb_delete(:'policed') AS deleted, kb_refresh(:'policed') AS refreshed;
SELECT state FROM error_of(format('SELECT * FROM kb_read(%L)', :'policed'));
RESET ROLE;
SELECT count(*) FROM kb_policed.ran_as;
SET ROLE kb_test177_writer;
SELECT title FROM kb_browse('policed');
SELECT title FROM kb_read(:'policed', knowledge_base => 'policed');
SELECT kb_refresh(:'policed', 'policed'), kb_delete(:'policed', 'policed');
RESET ROLE;
SELECT count(*) > 0 AS ran, count(*) FILTER (WHERE role = 'kb_test177_writer') = count(*) AS by_the_caller FROM kb_policed.ran_as;

-- Triggers of an owner run with that owner's privileges.
SET ROLE kb_test177_tenant;
SELECT kb_create('theirs', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('theirs', 'A text.') AS theirs \gset
UPDATE kb_theirs.chunk SET content = 'Changed.';
CREATE TABLE kb_theirs.ran_as (at text, role name);
CREATE FUNCTION kb_theirs.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO kb_theirs.ran_as VALUES (TG_OP || '' '' || TG_TABLE_NAME, current_user); RETURN coalesce(NEW, OLD); END';
CREATE TRIGGER note BEFORE UPDATE OR DELETE ON kb_theirs.document FOR EACH ROW EXECUTE FUNCTION kb_theirs.note();
CREATE TRIGGER note BEFORE INSERT OR DELETE ON kb_theirs.chunk FOR EACH ROW EXECUTE FUNCTION kb_theirs.note();
RESET ROLE;
SELECT kb_refresh(:'theirs', 'theirs'), kb_delete(:'theirs', 'theirs');
SELECT * FROM kb_theirs.ran_as;

-- Columns that are missing or altered are shown as NULL. Without content nothing can be read.
ALTER TABLE kb_more.document DROP COLUMN abstract, DROP COLUMN mime_type, ALTER COLUMN language TYPE varchar(9), ALTER COLUMN created_at DROP NOT NULL;
ALTER TABLE kb_more.document DISABLE TRIGGER ALL;
UPDATE kb_more.document SET created_at = NULL;
ALTER TABLE kb_more.document ENABLE TRIGGER ALL;
SELECT title, mime_type, language, abstract, overview, created_at FROM kb_read('b0000000-0000-0000-0000-000000000001', 'abstract', 'more');
SELECT title, created_at FROM kb_browse('more');
SELECT title, abstract FROM kb_search_documents('bread', 'more', mode => 'keyword');
ALTER TABLE kb_more.document RENAME COLUMN content TO body;
SELECT * FROM error_of($$SELECT * FROM kb_read('b0000000-0000-0000-0000-000000000001', knowledge_base => 'more')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_browse('more')$$);
SELECT knowledge_base, title FROM kb_browse(source_type => 'code');
-- A renamed schema, and one that is gone.
ALTER TABLE kb_more.document RENAME COLUMN body TO content;
ALTER SCHEMA kb_more RENAME TO moved;
SELECT title FROM kb_browse('more');
SELECT kb_delete('b0000000-0000-0000-0000-000000000001');
DROP SCHEMA moved CASCADE;
SELECT state, message FROM error_of($$SELECT * FROM kb_browse('more')$$);

-- They only read.
BEGIN TRANSACTION READ ONLY;
SELECT count(*) FROM kb_browse('papers') b, kb_read(b.document_id), kb_stats('papers');
SELECT count(*) FROM kb_search_documents('tea', 'papers', 1);
SELECT state FROM error_of($$SELECT kb_delete('a0000000-0000-0000-0000-000000000001')$$);
COMMIT;

DROP TABLE kb_policed.ran_as, kb_theirs.ran_as;
DROP FUNCTION kb_policed.spy, kb_theirs.note CASCADE;
SELECT kb_drop(name) FROM unnest('{papers,more,shared,policed,theirs}'::text[]) name;
SELECT kb_revoke_admin('kb_test177_tenant');
DROP FUNCTION seen;
DROP ROLE kb_test177_tenant, kb_test177_reader, kb_test177_writer;
RESET client_min_messages;
