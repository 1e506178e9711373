-- kb_attach: the vectors that rows bring along are used.
SET client_min_messages = warning;
SELECT kb_create('support', model => 'fake/a', dimensions => 3) IS NOT NULL AS created;
CREATE TABLE article (id int PRIMARY KEY, title text, body text, topic text, vec vector(3));
INSERT INTO article VALUES (1, 'One', 'red apples', 'fruit', '[1,0,0]'), (2, 'Two', 'green pears', 'fruit', '[0,2,0]'),
    (3, 'Three', 'blue plums', 'fruit', NULL);
SELECT kb_attach('article', 'support', 'body', 'title', metadata => '{topic}', embedding => 'vec', wait => true) AS source \gset
CREATE VIEW state AS
SELECT d.source_key AS key, d.title, d.imported, d.status, c.content, c.metadata ->> 'topic' AS topic, e.embedding, length(c.content_hash) AS hash
FROM kb_support.document d LEFT JOIN kb_support.chunk c ON c.document_id = d.id LEFT JOIN kb_support.embedding e ON e.chunk_id = c.id
ORDER BY d.source_key, c.ordinal;
CREATE VIEW taken AS SELECT key, imported, status, content, topic, CASE WHEN imported THEN embedding::text WHEN embedding IS NULL THEN 'none' ELSE 'made' END AS embedding, hash FROM state;
SELECT * FROM taken;
SELECT options -> 'embedding' AS embedding FROM kb_support.source;
SELECT rows_read, documents, stale_vectors FROM kb_rag.source_status;
SELECT source, content FROM kb_search('', 'support', 'semantic', match_count => 1, query_embedding => '[0,1,0]');
SELECT source, content FROM kb_search('apples', 'support', 'keyword');
SELECT kb_reconcile('support');

-- Writes of the vector, of the text, and of both.
UPDATE article SET vec = '[0,0,1]' WHERE id = 1;
UPDATE article SET body = 'yellow pears' WHERE id = 2;
UPDATE article SET body = 'dark plums', vec = '[1,1,0]' WHERE id = 3;
INSERT INTO article VALUES (4, 'Four', 'figs', 'fruit', '[1,2,2]');
SELECT * FROM taken;
SELECT stale_vectors FROM kb_rag.source_status;
SELECT kb_reconcile('support');
-- The text comes back; another vector ends it, too.
UPDATE article SET body = 'green pears' WHERE id = 2;
UPDATE article SET title = 'Vier' WHERE id = 4;
SELECT key, hash FROM taken;
UPDATE article SET title = 'Quattro' WHERE id = 4;
SELECT key, content, hash FROM taken;
-- The text of a chunk changes in place, and metadata alone changes nothing else.
SELECT c.id AS stale FROM kb_support.chunk c WHERE content = 'figs' \gset
UPDATE article SET topic = 'stale' WHERE id = 4;
UPDATE article SET body = 'ripe figs' WHERE id = 4;
SELECT content, metadata ->> 'topic' AS topic, length(content_hash), tsv FROM kb_support.chunk WHERE id = :'stale';
SELECT source FROM kb_search('ripe', 'support', 'keyword');
UPDATE article SET body = 'figs' WHERE id = 4;
UPDATE article SET vec = '[2,2,1]' WHERE id = 4;
SELECT key, hash, embedding FROM taken WHERE key = '4';
-- Metadata alone keeps the chunk.
SELECT id AS chunk FROM kb_support.chunk WHERE content = 'figs' \gset
UPDATE article SET topic = 'food' WHERE id = 4;
SELECT content, metadata ->> 'topic' AS topic FROM kb_support.chunk WHERE id = :'chunk';
-- No other column matters; a moved row keeps all.
UPDATE article SET id = 40 WHERE id = 4;
SELECT count(*) FROM kb_support.chunk WHERE id = :'chunk';
UPDATE article SET vec = NULL WHERE id = 2;
DELETE FROM article WHERE id = 1;
SELECT * FROM taken;
SELECT kb_reconcile('support');

-- kb_refresh leaves it to the row; a document that was embedded here is cut again.
SET client_min_messages = notice;
SELECT source_key, kb_refresh(id) FROM kb_support.document WHERE source_key IN ('2', '3') ORDER BY 1;
SET client_min_messages = warning;
SELECT key, imported FROM taken;

-- What has no direction is as if there were none.
CREATE TABLE numbers (id int PRIMARY KEY, body text, reals real[], doubles double precision[], half halfvec(3), plain vector);
INSERT INTO numbers VALUES (1, 'a', '{0,0,0}', '{0,0,0}', '[0,0,0]', '[0,0,0]'), (2, 'b', '{1,NaN,0}', '{1,Infinity,0}', '[1,2,2]', '[1,2,2]'),
    (3, 'c', '{1,NULL,0}', '{1,NULL,0}', '[3,0,4]', '[3,0,4]'), (4, 'd', '{1,2}', '{1,2}', NULL, NULL), (5, 'e', '{3,0,4}', '{1e300,0,0}', NULL, NULL),
    (6, 'f', '{{0,3,4}}', '{1e-200,3,4}', NULL, NULL), (7, 'g', '{3e38,0,0}', '{}', '[65504,0,65504]', '[3e38,0,3e38]');
SELECT kb_create('n', model => 'fake/a', dimensions => 3) IS NOT NULL AS created;
CREATE VIEW n AS
SELECT d.source_key AS key, CASE WHEN d.imported THEN e.embedding::text WHEN e.embedding IS NOT NULL THEN 'made' END AS embedding
FROM kb_n.document d LEFT JOIN kb_n.chunk c ON c.document_id = d.id LEFT JOIN kb_n.embedding e ON e.chunk_id = c.id ORDER BY 1;
SELECT kb_attach('numbers', 'n', 'body', embedding => 'reals', wait => true) IS NOT NULL AS attached;
SELECT * FROM n;
SELECT kb_attach('numbers', 'n', 'body', embedding => 'doubles', wait => true) IS NOT NULL AS attached;
SELECT * FROM n;
SELECT kb_attach('numbers', 'n', 'body', embedding => 'half', wait => true) IS NOT NULL AS attached;
SELECT * FROM n;
SELECT kb_attach('numbers', 'n', 'body', embedding => 'plain', wait => true) IS NOT NULL AS attached;
SELECT * FROM n;
SELECT kb_reconcile('n');
UPDATE numbers SET plain = '[1,2]' WHERE id = 2;
-- Not taken any more: all are embedded.
SELECT kb_attach('numbers', 'n', 'body', wait => true) IS NOT NULL AS attached;
SELECT * FROM n;
SELECT kb_reconcile('n');
SELECT stale_vectors FROM kb_rag.source_status WHERE knowledge_base = 'n';

-- Mistakes.
CREATE TABLE other (id int PRIMARY KEY, body text, four vector(4), plain vector, word text, bits bit(3), sparse sparsevec(3));
INSERT INTO other VALUES (1, 'a', '[1,2,3,4]', NULL, 'x', '101'), (2, 'b', NULL, '[1,2]', 'y', '001');
SELECT kb_attach('other', 'n', 'body', embedding => 'vec');
SELECT kb_attach('other', 'n', 'body', embedding => 'four');
SELECT kb_attach('other', 'n', 'body', embedding => 'plain');
SELECT kb_attach('other', 'n', 'body', embedding => 'word');
SELECT kb_attach('other', 'n', 'body', embedding => 'bits');
SELECT kb_attach('other', 'n', 'body', embedding => 'sparse');
SELECT kb_attach('other', 'n', 'body', embedding => '');
SELECT kb_attach('other', 'n', 'body', embedding => NULL) IS NOT NULL AS attached;
SET client_min_messages = notice;
SELECT kb_attach('article', 'support', 'body', 'title', metadata => '{topic}', if_not_exists => true) = :'source' AS same;
SELECT kb_attach('article', 'support', 'body', 'title', metadata => '{topic}', embedding => 'vec', if_not_exists => true) = :'source' AS same;
SET client_min_messages = warning;
-- A chunk holds as much as a tsvector, whatever the chunk size.
SELECT kb_configure('support', chunk_size => 100, chunk_overlap => 0) IS NOT NULL AS configured;
UPDATE article SET body = repeat('word and more ', 1000) WHERE id = 40;
SELECT count(*), max(length(content)) FROM kb_support.chunk WHERE metadata #>> '{key,id}' = '40';
UPDATE article SET body = repeat('word and more ', 100000) WHERE id = 40;
SELECT kb_reconcile('support');

-- The column is renamed, dropped, or gets another type: the vectors stay until a text changes.
ALTER TABLE article RENAME vec TO embedding;
UPDATE article SET embedding = '[4,0,3]' WHERE id = 40;
SELECT key, imported, embedding FROM taken;
BEGIN;
ALTER TABLE article DROP COLUMN embedding;
SELECT kb_reconcile('support');
UPDATE article SET topic = 'none';
SELECT key, imported, topic, embedding FROM taken;
UPDATE article SET body = 'raisins' WHERE id = 40;
SELECT key, imported, content, embedding FROM taken;
SELECT status, error_message, stale_vectors FROM kb_rag.source_status WHERE knowledge_base = 'support';
ROLLBACK;
BEGIN;
ALTER TABLE article ALTER COLUMN embedding TYPE text;
UPDATE article SET topic = 'none';
SELECT key, imported, topic, embedding FROM taken;
ROLLBACK;
-- So do they under another model of the base, which embeds their texts.
SELECT kb_configure('support', chunk_size => 1000) IS NOT NULL AS configured;
SELECT chunks FROM kb_estimate('support', 'fake/b');
DROP VIEW taken, state;
CREATE FUNCTION show(OUT key text, OUT imported boolean, OUT content text, OUT dimensions int, OUT hash int) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT d.source_key, d.imported, c.content, vector_dims(e.embedding), length(c.content_hash)
    FROM kb_support.document d LEFT JOIN kb_support.chunk c ON c.document_id = d.id LEFT JOIN kb_support.embedding e ON e.chunk_id = c.id ORDER BY 1
$$;
UPDATE article SET body = 'prunes' WHERE id = 3;
SELECT stale_vectors FROM kb_rag.source_status WHERE knowledge_base = 'support';
SELECT kb_configure('support', model => 'fake/b', dimensions => 4) IS NOT NULL AS configured;
SELECT key, imported, left(content, 20) AS content, dimensions, hash FROM show();
SELECT kb_reconcile('support');
UPDATE article SET embedding = '[1,0,0]', topic = 'none';
UPDATE article SET body = 'dates' WHERE id = 40;
SELECT * FROM show();
SELECT stale_vectors FROM kb_rag.source_status WHERE knowledge_base = 'support';
SELECT kb_reconcile('support');
-- kb_adopt knows which model made them.
DELETE FROM kb_rag.attached_table WHERE source_id = :'source';
DELETE FROM kb_rag.knowledge_base WHERE name = 'support';
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT options FROM kb_rag.attached_table WHERE source_id = :'source';
UPDATE article SET embedding = '[0,0,1]';
SELECT * FROM show();
-- Attached again, they are those of the new model.
SELECT kb_attach('article', 'support', 'body', 'title', metadata => '{topic}', embedding => 'embedding');
ALTER TABLE article ALTER COLUMN embedding TYPE vector(4) USING NULL;
UPDATE article SET embedding = '[0,0,0,1]' WHERE id = 40;
SELECT kb_attach('article', 'support', 'body', 'title', metadata => '{topic}', embedding => 'embedding', wait => true) = :'source' AS same;
SELECT * FROM show();
SELECT kb_reconcile('support');
