-- Changes made while the triggers were off are found and repaired, once.
SET client_min_messages = warning;
SELECT kb_create('rec', model => 'fake/test', dimensions => 8, chunk_size => 60, chunk_overlap => 0) IS NOT NULL AS created;
INSERT INTO kb_rec.document (title, content, metadata, source_key)
SELECT 'Title ' || n, 'Sentence one of text ' || n || '. Sentence two is about ' || md5(n::text) || '. And a third.', jsonb_build_object('n', n), 'text-' || n
FROM generate_series(1, 100) n;
CREATE FUNCTION consistent() RETURNS TABLE (documents int8, pending int8, chunks int8, vectors int8, figures bool, strays int8) LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM kb_rec.document),
        (SELECT count(*) FROM kb_rec.document WHERE status <> 'indexed' OR content_hash <> sha256(convert_to(content, 'UTF8'))),
        (SELECT count(*) FROM kb_rec.chunk),
        (SELECT count(*) FROM kb_rec.embedding),
        (SELECT sum(chunks) FROM (SELECT sign * chunks AS chunks, sign * length AS length FROM kb_rec.keyword_segment) s) = (SELECT count(*) FROM kb_rec.chunk) AND (SELECT sum(length) FROM (SELECT sign * chunks AS chunks, sign * length AS length FROM kb_rec.keyword_segment) s) = (SELECT sum(length) FROM kb_rec.chunk),
        (SELECT count(*) FROM kb_rec.chunk c JOIN kb_rec.document d ON d.id = c.document_id WHERE c.content <> substr(d.content, c.start_char + 1, c.end_char - c.start_char))
$$;
SELECT * FROM consistent();
SELECT kb_reconcile('rec');

-- Both directions.
SET session_replication_role = replica;
INSERT INTO kb_rec.document (title, content) VALUES ('New', 'A text about quinces that no trigger saw.');
UPDATE kb_rec.document SET content = 'Now it is about medlars.' WHERE source_key = 'text-1';
UPDATE kb_rec.document SET title = 'Another title' WHERE source_key = 'text-2';
UPDATE kb_rec.document SET metadata = '{"n": "x"}', language = 'de' WHERE source_key = 'text-3';
DELETE FROM kb_rec.document WHERE source_key = 'text-4';
DELETE FROM kb_rec.embedding WHERE chunk_id IN (SELECT c.id FROM kb_rec.chunk c JOIN kb_rec.document d ON d.id = c.document_id WHERE source_key = 'text-5');
DELETE FROM kb_rec.chunk WHERE document_id = (SELECT id FROM kb_rec.document WHERE source_key = 'text-6');
INSERT INTO kb_rec.chunk (id, document_id, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash)
SELECT kb_rag.uuid_v7(), document_id, length, tsv, text_config, 9, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash
FROM kb_rec.chunk WHERE ordinal = 0 AND document_id = (SELECT id FROM kb_rec.document WHERE source_key = 'text-7');
UPDATE kb_rec.document SET content_hash = 'stale', status = 'pending' WHERE source_key = 'text-8';
RESET session_replication_role;
SELECT * FROM consistent();
SELECT count(*) FROM kb_search('quinces', 'rec', 'keyword');
CREATE TABLE untouched AS SELECT c.id, c.xmin AS written, e.xmin AS embedded FROM kb_rec.chunk c JOIN kb_rec.embedding e ON e.chunk_id = c.id JOIN kb_rec.document d ON d.id = c.document_id
WHERE d.source_key IN (SELECT 'text-' || n FROM generate_series(9, 100) n);
SELECT kb_reconcile('rec');
SELECT * FROM consistent();
SELECT kb_reconcile('rec');
SELECT title FROM kb_search('quinces', 'rec', 'keyword');
SELECT content, metadata ->> 'n' AS n FROM kb_search('medlars', 'rec', 'keyword');
SELECT DISTINCT c.metadata ->> 'n' AS n, c.metadata ->> 'language' AS language, c.text_config FROM kb_rec.chunk c JOIN kb_rec.document d ON d.id = c.document_id WHERE source_key = 'text-3';
SELECT title FROM kb_search('Another title', 'rec', 'keyword', 1);
SELECT count(*) AS rewritten FROM untouched u LEFT JOIN kb_rec.chunk c ON c.id = u.id LEFT JOIN kb_rec.embedding e ON e.chunk_id = u.id
WHERE c.xmin IS DISTINCT FROM u.written OR e.xmin IS DISTINCT FROM u.embedded;

-- Only the keyword index.
DELETE FROM kb_rec.keyword_segment;
SELECT kb_reconcile('rec');
SELECT figures FROM consistent();
SELECT kb_reconcile('rec');

-- While the triggers are off it also repairs, and says so.
ALTER TABLE kb_rec.document DISABLE TRIGGER USER;
ALTER TABLE kb_rec.chunk DISABLE TRIGGER USER;
INSERT INTO kb_rec.document (title, content) VALUES ('Later', 'A text about pawpaws.');
SELECT kb_reconcile('rec');
SELECT * FROM consistent();
ALTER TABLE kb_rec.document ENABLE TRIGGER USER;
ALTER TABLE kb_rec.chunk ENABLE TRIGGER USER;
SELECT kb_reconcile('rec');
SELECT title, status FROM kb_rec.document WHERE title = 'Later';

-- No triggers at all, not even those of foreign keys: vectors are not deleted with their chunks, and are found.
ALTER TABLE kb_rec.document DISABLE TRIGGER ALL;
ALTER TABLE kb_rec.chunk DISABLE TRIGGER ALL;
UPDATE kb_rec.document SET content = 'A text about soursops.' WHERE source_key = 'text-20';
DELETE FROM kb_rec.document WHERE source_key = 'text-21';
SET client_min_messages = error;
SELECT kb_reconcile('rec') > 0 AS repaired;
SELECT kb_reconcile('rec');
SET client_min_messages = warning;
ALTER TABLE kb_rec.document ENABLE TRIGGER ALL;
ALTER TABLE kb_rec.chunk ENABLE TRIGGER ALL;
SELECT * FROM consistent();
SELECT kb_reconcile('rec');

-- The repaired keyword index gives the scores of a new one.
CREATE TABLE repaired AS SELECT chunk_id, score FROM kb_search('a text about the sentence of title 20', 'rec', 'keyword', 1000);
SELECT count(*) > 200 AS many FROM repaired;
SELECT kb_reindex('rec');
SELECT count(*) AS other_scores FROM repaired r FULL JOIN kb_search('a text about the sentence of title 20', 'rec', 'keyword', 1000) s USING (chunk_id)
WHERE (abs(r.score - s.score) < 1e-9) IS NOT TRUE;

-- Not in a transaction that might not see other sessions' changes.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM error_of($$SELECT kb_reconcile('rec')$$);
SELECT state FROM error_of($$SELECT kb_configure('rec', model => 'fake/other')$$);
SELECT state FROM error_of($$SELECT kb_reindex('rec')$$);
COMMIT;

-- Users' own writes to content_hash or status are not kept.
UPDATE kb_rec.document SET content_hash = 'forged', status = 'failed' WHERE title = 'Later';
SELECT status, content_hash = sha256(convert_to(content, 'UTF8')) AS own_hash FROM kb_rec.document WHERE title = 'Later';
SELECT state, message FROM error_of($$SELECT kb_reconcile(NULL)$$);
SELECT state, message FROM error_of($$SELECT kb_reconcile('nowhere')$$);

-- With the schema renamed, searches, writes and repairs work; the catalog is updated.
ALTER SCHEMA kb_rec RENAME TO "Renamed rec";
SELECT schema FROM kb_list();
SELECT title FROM kb_search('pawpaws', 'rec', 'keyword');
SELECT kb_add('rec', 'A text about loquats.', title => 'After') IS NOT NULL AS added;
SELECT title FROM kb_search('loquats', 'rec', 'keyword');
SELECT kb_reconcile('rec');
SELECT schema FROM kb_rag.knowledge_base;
ALTER SCHEMA "Renamed rec" RENAME TO kb_rec;
SELECT kb_configure('rec', ranker => 'ts_rank');
SELECT schema FROM kb_rag.knowledge_base;
SELECT kb_drop('rec');
DROP FUNCTION consistent;
DROP TABLE untouched, repaired;
