-- Vectors of rows, with the other arguments of kb_attach and all kinds of tables and bases.
SET client_min_messages = warning;
SELECT kb_create('support', model => 'fake/a', dimensions => 3) IS NOT NULL AS created;
CREATE FUNCTION show(OUT key text, OUT imported boolean, OUT title text, OUT content text, OUT embedding text, OUT language text) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT d.source_key, d.imported, d.title, c.content, CASE WHEN d.imported THEN e.embedding::text ELSE left(e.embedding::text, 0) END, c.text_config
    FROM kb_support.document d LEFT JOIN kb_support.chunk c ON c.document_id = d.id LEFT JOIN kb_support.embedding e ON e.chunk_id = c.id ORDER BY 1
$$;

-- Pages, languages, further texts, URLs and conditions.
CREATE TABLE page (id int PRIMARY KEY, body text, note text, lang text, live boolean DEFAULT true, vec vector(3));
INSERT INTO page VALUES (1, '<title>Haus</title><p>Die Häuser &amp; Gärten', 'klein', 'de', true, '[1,0,0]'),
    (2, '<p>Houses', NULL, 'en', true, '[0,1,0]'), (3, '<p>Hidden', NULL, 'en', false, '[0,0,1]');
SELECT kb_attach('page', 'support', 'body', mime_type => 'text/html', language => '{lang}', more_content => '{note}', url => 'https://example.com/{id}',
    condition => 'live', embedding => 'vec', wait => true) IS NOT NULL AS attached;
SELECT * FROM show();
SELECT source FROM kb_search('Gärten', 'support', 'keyword');
SELECT metadata ->> 'source_url' AS url FROM kb_support.document ORDER BY 1;
SELECT kb_reconcile('support');
-- A new language makes new lexemes, and keeps chunk and vector.
SELECT id AS chunk FROM kb_support.chunk WHERE metadata #>> '{key,id}' = '2' \gset
UPDATE page SET lang = 'de' WHERE id = 2;
SELECT text_config, tsv FROM kb_support.chunk WHERE id = :'chunk';
UPDATE page SET live = true WHERE id = 3;
UPDATE page SET live = false WHERE id = 1;
SELECT * FROM show();
SELECT kb_reconcile('support');
TRUNCATE page;
SELECT * FROM show();
DROP TABLE page;
SELECT kb_drop('support');

-- Partitions, whose rows are followed one by one.
SELECT kb_create('support', model => 'fake/a', dimensions => 3) IS NOT NULL AS created;
CREATE TABLE part (id int, body text, vec halfvec(3), PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE part_2 (vec halfvec(3), gone int, body text, id int NOT NULL);
ALTER TABLE part_2 DROP COLUMN gone;
ALTER TABLE part ATTACH PARTITION part_2 FOR VALUES FROM (10) TO (20);
INSERT INTO part VALUES (1, 'a', '[1,0,0]'), (11, 'b', '[0,1,0]');
SELECT kb_attach('part', 'support', 'body', embedding => 'vec', wait => true) IS NOT NULL AS attached;
INSERT INTO part VALUES (2, 'c', '[0,0,1]'), (12, 'd', NULL);
UPDATE part SET vec = '[3,4,0]' WHERE id = 11;
UPDATE part_2 SET vec = '[0,3,4]' WHERE id = 12;
UPDATE part SET id = 3 WHERE id = 11;
UPDATE part SET body = 'aa', vec = '[0,1,0]' WHERE id = 1;
SELECT * FROM show();
SELECT kb_reconcile('support');
-- What the triggers missed.
SET session_replication_role = replica;
UPDATE part SET vec = '[1,0,0]' WHERE id = 2;
UPDATE part SET vec = NULL WHERE id = 3;
UPDATE part SET vec = '[1,0,0]' WHERE id = 12;
UPDATE part SET body = 'aaa' WHERE id = 1;
RESET session_replication_role;
SELECT kb_reconcile('support');
SELECT * FROM show();
SELECT kb_reconcile('support');
-- A vector that was lost, and a document that was written by hand.
DELETE FROM kb_support.embedding e USING kb_support.chunk c WHERE c.id = e.chunk_id AND c.content = 'c';
UPDATE kb_support.document SET content = 'hand' WHERE source_key = '1';
SELECT * FROM show();
SELECT kb_reconcile('support') > 0 AS repaired;
SELECT * FROM show();
SELECT kb_reconcile('support');
-- Detached with its documents and attached again without the column: all are embedded.
SELECT kb_detach('part', 'support');
SELECT count(*) FROM show() WHERE imported;
SELECT kb_attach('part', 'support', 'body', wait => true) IS NOT NULL AS attached;
SELECT count(*) FILTER (WHERE imported) AS taken, count(embedding) AS vectors FROM show();
SELECT kb_drop('support');
DROP TABLE part;

-- Rows are read in batches by workers. A base that cannot embed takes vectors, and the others wait.
SELECT kb_create('support', model => 'fake/a', dimensions => 3, embed => 'off') IS NOT NULL AS created;
CREATE TABLE many (id int PRIMARY KEY, body text, vec vector(3));
INSERT INTO many SELECT i, 'row ' || i, CASE WHEN i % 3 > 0 THEN format('[%s,1,0]', i)::vector END FROM generate_series(1, 700) i;
SELECT kb_attach('many', 'support', 'body', embedding => 'vec') IS NOT NULL AS attached;
SELECT rows_read, status FROM kb_rag.source_status;
CALL kb_work();
SELECT rows_read, status, documents FROM kb_rag.source_status;
SELECT imported, count(*), count(embedding) FROM show() GROUP BY 1 ORDER BY 1;
UPDATE many SET body = 'rows';
SELECT stale_vectors FROM kb_rag.source_status;
SELECT kb_configure('support', embed => 'inline') IS NOT NULL AS configured;
SELECT imported, count(*), count(embedding) FROM show() GROUP BY 1 ORDER BY 1;
SELECT kb_reconcile('support');

-- A trigger of a user on the documents.
CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF new.source_key = '2' THEN RETURN NULL; END IF; new.content := upper(new.content); RETURN new; END $$;
CREATE TRIGGER shout BEFORE INSERT OR UPDATE ON kb_support.document FOR EACH ROW EXECUTE FUNCTION shout();
DELETE FROM many WHERE id > 3;
UPDATE many SET body = 'new', vec = '[0,0,1]';
SELECT key, imported, content, embedding FROM show();
SELECT kb_drop('support');

-- A trigger of a user that writes other documents: these are cut and embedded as always.
SELECT kb_create('support', model => 'fake/a', dimensions => 3) IS NOT NULL AS created;
CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO kb_support.document (content) VALUES ('log of ' || new.source_key); RETURN NULL; END $$;
CREATE TRIGGER log AFTER INSERT ON kb_support.document FOR EACH ROW WHEN (new.source_key IS NOT NULL) EXECUTE FUNCTION log();
SELECT kb_attach('many', 'support', 'body', embedding => 'vec', wait => true) IS NOT NULL AS attached;
SELECT key, imported, content FROM show() ORDER BY content COLLATE "C", key;
CREATE TABLE imported AS SELECT 'text' AS body, '[1,0,0]'::vector AS vec, 'key' AS key;
SELECT kb_import('support', 'imported', '{"content": "body", "embedding": "vec", "document": "key"}');
SELECT content, status FROM kb_support.document WHERE content ~ 'log of key';
SELECT kb_drop('support');
DROP TABLE imported;

-- A provider that cannot be reached: vectors are taken, and the other rows wait for it.
SELECT kb_provider_set('away', 'openai', 'http://127.0.0.1:1/v1') IS NOT NULL AS set;
SELECT kb_create('support', model => 'away/model', dimensions => 3) IS NOT NULL AS created;
SELECT kb_attach('many', 'support', 'body', embedding => 'vec', wait => true) IS NOT NULL AS attached;
INSERT INTO many VALUES (4, 'Later', NULL);
SELECT key, imported, content, embedding FROM show();
SELECT source_key, status FROM kb_support.document ORDER BY 1;
SELECT source FROM kb_search('later', 'support', 'keyword');
SELECT count(*) FROM kb_search('', 'support', 'semantic', query_embedding => '[0,0,1]');
SELECT kb_drop('support');
