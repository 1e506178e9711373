-- kb_attach and kb_adopt of tables whose attachment was lost, or was recorded wrongly.
SET client_min_messages = warning;
SELECT kb_create('support', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
CREATE TABLE article (id int, body text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE article_1 PARTITION OF article FOR VALUES FROM (0) TO (10);
CREATE TABLE article_2 PARTITION OF article FOR VALUES FROM (10) TO (20);
INSERT INTO article VALUES (1, 'One'), (11, 'Two');
SELECT kb_attach('article', 'support', 'body', wait => true) AS source \gset
CREATE VIEW triggers AS SELECT tgrelid::regclass AS table, count(*) FROM pg_trigger WHERE tgname LIKE 'kb\_rag\_%' GROUP BY tgrelid ORDER BY tgrelid::regclass::text;
SELECT * FROM triggers WHERE "table"::text LIKE 'article%';
-- As after pg_dump -s, where nobody took it over.
DELETE FROM kb_rag.attached_table;
DELETE FROM kb_support.source;
INSERT INTO article VALUES (2, 'Three');
SELECT kb_attach('article', 'support', 'body', wait => true) <> :'source' AS is_new;
INSERT INTO article VALUES (3, 'Four'), (13, 'Five');
SELECT * FROM triggers WHERE "table"::text LIKE 'article%';
SELECT source_key FROM kb_support.document ORDER BY 1;
SELECT kb_reconcile('support');
-- The triggers of another base stay.
SELECT kb_create('other', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
SELECT kb_attach('article', 'other', 'body', wait => true) IS NOT NULL AS attached;
SELECT kb_attach('article', 'support', 'body') IS NOT NULL AS attached;
SELECT * FROM triggers WHERE "table"::text LIKE 'article%';
SELECT kb_drop('other');

-- kb_adopt: what is recorded of one table does not keep the others.
CREATE TABLE note (id int PRIMARY KEY, body text, topic text);
CREATE TABLE memo (id int PRIMARY KEY, body text);
INSERT INTO note VALUES (1, 'A note.', 'x');
INSERT INTO memo VALUES (1, 'A memo.');
SELECT kb_attach('note', 'support', 'body', metadata => '{topic}') IS NOT NULL AS attached, kb_attach('memo', 'support', 'body') IS NOT NULL AS attached;
SELECT value AS sound FROM kb_support.setting WHERE name = 'attached_tables' \gset
CREATE FUNCTION lose(sound text, change jsonb) RETURNS void LANGUAGE sql AS $$
    UPDATE kb_support.setting
    SET value = (SELECT jsonb_agg(CASE WHEN e ->> 'location' = 'public.note' THEN e || change ELSE e END) FROM jsonb_array_elements(sound::jsonb) e)::text
    WHERE name = 'attached_tables';
    DELETE FROM kb_rag.attached_table;
    DELETE FROM kb_rag.knowledge_base;
$$;
SELECT lose(:'sound', '{"options": {"mime_type": "text/none"}}');
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT location, status FROM kb_rag.source_status ORDER BY 1;
SELECT lose(:'sound', '{"options": {"language": "klingon"}}');
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT location, status FROM kb_rag.source_status ORDER BY 1;
SELECT lose(:'sound', '{"source_type": ""}');
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT location, status FROM kb_rag.source_status ORDER BY 1;
SELECT lose(:'sound', '{"uses": ["content", "key", "metadata", "metadata"], "names": ["body", "id", "topic", "topic"], "labels": ["body", "id", "topic", "topic"]}');
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT location, status FROM kb_rag.source_status ORDER BY 1;
SELECT lose(:'sound', '{"options": {"embedding": {"model": "fake/a", "dimensions": 8}}, "uses": ["content", "key", "embedding"], "names": ["body", "id", "topic"], "labels": ["body", "id", "topic"]}');
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT location, status FROM kb_rag.source_status ORDER BY 1;
SELECT lose(:'sound', '{}');
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT location, status FROM kb_rag.source_status ORDER BY 1;
INSERT INTO note VALUES (2, 'Another note.');
SELECT count(*) FROM kb_support.document WHERE content LIKE '%note%';
