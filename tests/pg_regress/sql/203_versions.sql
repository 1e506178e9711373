-- Documents keep what read and cut them, with its version; what an earlier version made is read and cut again when asked.
\set VERBOSITY terse
SELECT kb_create('versions', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 0) IS NOT NULL AS created;

-- A text as given has no reader, a file has one; both are cut.
SELECT kb_add('versions', 'Plain text as it was given.', source_key => 'given') AS given \gset
SELECT kb_add_file('versions', E'# Tea\n\nGreen tea takes two minutes.\n\n# Coffee\n\nCoffee takes four minutes.', 'tea.md') AS tea \gset
SELECT kb_add_file('versions', '<main><h1>Bread</h1><p>Bread takes four hours.</p></main>', 'bread.html') AS bread \gset
SELECT source_key, reader, reader_version > 0 AS version, chunker_version > 0 AS chunker FROM kb_versions.document ORDER BY source_key COLLATE "C";

-- A text that changes otherwise is no longer that of the file.
UPDATE kb_versions.document SET content = 'Changed.' WHERE id = :'bread';
SELECT reader, reader_version, file_hash FROM kb_versions.document WHERE id = :'bread';
UPDATE kb_versions.document SET title = 'Tea' WHERE id = :'tea';
SELECT reader FROM kb_versions.document WHERE id = :'tea';
SELECT kb_delete(:'bread', 'versions');

-- Imported chunks were not cut.
CREATE TABLE vectors (content text, embedding vector(8));
INSERT INTO vectors VALUES ('An imported text.', '[1,0,0,0,0,0,0,0]');
SELECT kb_create('taken over', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_import('taken over', 'vectors', '{"content": "content", "embedding": "embedding"}');
SELECT imported, chunker_version FROM kb_taken_over.document;
UPDATE kb_taken_over.document SET content = 'Another text.';
SELECT imported, chunker_version > 0 AS chunker FROM kb_taken_over.document;
SELECT kb_drop('taken over');

-- As an earlier version left them: other columns change without reading or cutting again.
CREATE FUNCTION age() RETURNS void LANGUAGE sql AS $$
    ALTER TABLE kb_versions.document DISABLE TRIGGER USER;
    UPDATE kb_versions.document SET reader = NULL, reader_version = NULL, chunker_version = NULL;
    ALTER TABLE kb_versions.document ENABLE TRIGGER USER
$$;
SELECT age();
CREATE TABLE before AS SELECT c.id, c.document_id, c.content FROM kb_versions.chunk c;
UPDATE kb_versions.document SET metadata = '{"a": 1}';
SELECT count(*), count(chunker_version) AS cut_again FROM kb_versions.document;

-- The same file again is read again, and keeps chunks that stay as they are.
SELECT kb_add_file('versions', E'# Tea\n\nGreen tea takes two minutes.\n\n# Coffee\n\nCoffee takes four minutes.', 'tea.md', 'Tea') = :'tea' AS same;
SELECT reader, chunker_version > 0 AS chunker FROM kb_versions.document WHERE id = :'tea';
SELECT count(*) > 1 AS several, count(*) = count(b.id) AS kept FROM kb_versions.chunk c LEFT JOIN before b USING (id) WHERE c.document_id = :'tea';
SELECT kb_add_file('versions', E'# Tea\n\nGreen tea takes two minutes.\n\n# Coffee\n\nCoffee takes four minutes.', 'tea.md', 'Tea', metadata => '{"a": 1}') = :'tea' AS same;
SELECT xmin AS version FROM kb_versions.document WHERE id = :'tea' \gset
SELECT kb_add_file('versions', E'# Tea\n\nGreen tea takes two minutes.\n\n# Coffee\n\nCoffee takes four minutes.', 'tea.md', 'Tea', metadata => '{"a": 1}') = :'tea' AS same;
SELECT xmin = :version AS untouched FROM kb_versions.document WHERE id = :'tea';

-- kb_rag.status counts what is outdated: files apart, since their bytes are not stored.
SELECT documents, outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
SELECT age();
SELECT documents, outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
-- A page is fetched again.
BEGIN;
INSERT INTO kb_versions.source (id, kind, location) VALUES ('a0000000-0000-0000-0000-000000000001', 'url', 'https://example.com/');
UPDATE kb_versions.document SET source_id = 'a0000000-0000-0000-0000-000000000001', source_key = 'https://example.com/tea' WHERE id = :'tea';
SELECT documents, outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
ROLLBACK;
SELECT name, version > 0 AS version FROM kb_rag.current_version ORDER BY name;
-- A version of today or a later one is not outdated, and neither is a reader that is not known.
ALTER TABLE kb_versions.document DISABLE TRIGGER USER;
UPDATE kb_versions.document d SET reader = 'markdown', reader_version = v.version - 1 FROM kb_rag.current_version v WHERE d.id = :'tea' AND v.name = 'markdown';
UPDATE kb_versions.document d SET chunker_version = v.version FROM kb_rag.current_version v WHERE v.name = 'chunker';
SELECT outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
UPDATE kb_versions.document SET reader_version = 1000, chunker_version = 1000 WHERE id = :'tea';
SELECT outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
UPDATE kb_versions.document SET reader = 'no such reader', reader_version = NULL WHERE id = :'tea';
SELECT outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';

ALTER TABLE kb_versions.document ENABLE TRIGGER USER;

-- Chunks of an earlier version of the chunker: one that cut smaller.
SELECT kb_add('versions', 'One two three. Four five six.', source_key => 'small') AS small \gset
SELECT kb_add('versions', 'Seven eight nine.', source_key => 'same') AS same \gset
SELECT kb_configure('versions', chunk_size => 18);
UPDATE kb_rag.knowledge_base SET chunk_size = 200 WHERE name = 'versions';
UPDATE kb_versions.setting SET value = '200' WHERE name = 'chunk_size';
SELECT age();
DROP TABLE before;
CREATE TABLE before AS SELECT c.id, c.document_id, c.content, e.embedding FROM kb_versions.chunk c JOIN kb_versions.embedding e ON e.chunk_id = c.id;
-- kb_reconcile leaves them while they are whole.
SELECT kb_reconcile('versions');
SELECT count(*) = (SELECT count(*) FROM before) AS kept FROM kb_versions.chunk JOIN before b USING (id);
-- So it does with those of a later version, even with outdated.
BEGIN;
ALTER TABLE kb_versions.document DISABLE TRIGGER USER;
UPDATE kb_versions.document SET chunker_version = 1000;
ALTER TABLE kb_versions.document ENABLE TRIGGER USER;
SELECT kb_reconcile('versions'), kb_reconcile('versions', outdated => true);
ROLLBACK;
-- Whatever is wrong with them is repaired, and only that document is cut again.
BEGIN;
DELETE FROM kb_versions.chunk WHERE document_id = :'small' AND ordinal = 1;
SELECT kb_reconcile('versions');
SELECT content FROM kb_versions.chunk WHERE document_id = :'small';
SELECT count(*) AS noted FROM kb_versions.document WHERE chunker_version IS NOT NULL;
ROLLBACK;
BEGIN;
UPDATE kb_versions.chunk SET content_hash = 'x' WHERE document_id = :'same';
SELECT kb_reconcile('versions');
ROLLBACK;
BEGIN;
UPDATE kb_versions.chunk SET end_char = end_char - 1 WHERE document_id = :'same';
SELECT kb_reconcile('versions');
ROLLBACK;
BEGIN;
UPDATE kb_versions.chunk SET page = 2 WHERE document_id = :'same';
SELECT kb_reconcile('versions');
ROLLBACK;
BEGIN;
DELETE FROM kb_versions.embedding e USING kb_versions.chunk c WHERE c.id = e.chunk_id AND c.document_id = :'same';
SELECT kb_reconcile('versions');
ROLLBACK;
-- What cutting again would embed.
SELECT chunks, calls FROM kb_estimate('versions');
SELECT chunks, calls FROM kb_estimate('versions', outdated => true);
-- For another model all are cut again.
SELECT e.chunks = o.chunks AS is_same
FROM kb_estimate('versions', 'local/all-minilm-l6-v2') e, kb_estimate('versions', 'local/all-minilm-l6-v2', outdated => true) o;
SELECT chunks FROM kb_estimate('versions', 'local/all-minilm-l6-v2', outdated => true);
-- On request they are cut again. Chunks that stay keep id and vector, and files are to be given again.
SELECT kb_reconcile('versions', outdated => true);
SELECT kb_reconcile('versions', outdated => true);
SELECT d.source_key, c.content, b.id IS NOT NULL AS kept, b.embedding = e.embedding AS vector
FROM kb_versions.document d JOIN kb_versions.chunk c ON c.document_id = d.id LEFT JOIN before b ON b.id = c.id JOIN kb_versions.embedding e ON e.chunk_id = c.id
ORDER BY d.source_key COLLATE "C", c.ordinal;
SELECT count(*) = count(chunker_version) AS noted, count(reader) AS readers FROM kb_versions.document;
SELECT chunks FROM kb_estimate('versions', outdated => true);
SELECT outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
-- kb_refresh says so too.
SELECT kb_refresh(:'tea', 'versions');
SELECT kb_add_file('versions', E'# Tea\n\nGreen tea takes two minutes.\n\n# Coffee\n\nCoffee takes four minutes.', 'tea.md', 'Tea') = :'tea' AS same;
SELECT kb_refresh(:'tea', 'versions');
-- A change of the settings cuts everything by today's version.
SELECT age();
SELECT kb_configure('versions', chunk_size => 100);
SELECT count(*) = count(chunker_version) AS noted FROM kb_versions.document;
-- An UPDATE that changes the version has the text cut again.
SELECT age();
UPDATE kb_versions.document SET chunker_version = 1 WHERE id = :'small';
SELECT chunker_version > 1 AS noted FROM kb_versions.document WHERE id = :'small';

-- A table as kb_rag 0.3 left it works, and gets the columns by kb_reconcile and kb_adopt.
ALTER TABLE kb_versions.document DROP COLUMN reader, DROP COLUMN reader_version, DROP COLUMN chunker_version;
SELECT kb_add('versions', 'Ten eleven.', source_key => 'more') IS NOT NULL AS added;
SELECT kb_add_file('versions', 'Twelve.', 'twelve.txt') IS NOT NULL AS added;
UPDATE kb_versions.document SET content = 'Thirteen.' WHERE source_key = 'twelve.txt';
SELECT outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
SELECT chunks FROM kb_estimate('versions', outdated => true);
SELECT kb_reconcile('versions');
SELECT count(*) = count(chunker_version) AS noted, bool_or(reader IS NOT NULL) AS readers FROM kb_versions.document;
SELECT outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
SELECT col_description('kb_versions.document'::regclass, attnum) IS NOT NULL AS described FROM pg_attribute
WHERE attrelid = 'kb_versions.document'::regclass AND attname IN ('reader', 'reader_version', 'chunker_version');
ALTER TABLE kb_versions.document DROP COLUMN reader, DROP COLUMN reader_version, DROP COLUMN chunker_version;
DELETE FROM kb_rag.knowledge_base WHERE name = 'versions';
SELECT kb_adopt('kb_versions') IS NOT NULL AS adopted;
SELECT count(*) FROM pg_attribute WHERE attrelid = 'kb_versions.document'::regclass AND attname IN ('reader', 'reader_version', 'chunker_version');
-- Rows of other tables are never outdated by a reader.
CREATE TABLE notes (id int PRIMARY KEY, body text);
INSERT INTO notes VALUES (1, '<p>Fourteen</p>');
SELECT kb_attach('notes', 'versions', content => 'body') IS NOT NULL AS attached;
SELECT reader, file_hash, chunker_version > 0 AS noted FROM kb_versions.document WHERE source_type = 'table';
-- A table that lacks other columns does not keep anybody from the view.
ALTER TABLE kb_versions.document DROP COLUMN source_id CASCADE;
SELECT documents > 0 AS counted, outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
ALTER TABLE kb_versions.document DROP COLUMN file_hash, DROP COLUMN imported;
SELECT documents > 0 AS counted, outdated, outdated_files FROM kb_rag.status WHERE knowledge_base = 'versions';
