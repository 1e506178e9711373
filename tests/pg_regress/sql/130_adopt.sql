-- DROP EXTENSION CASCADE keeps the data; kb_adopt takes it over again.
SET client_min_messages = warning;
SELECT kb_create('Old Base', description => 'kept', model => 'fake/test', dimensions => 8, chunk_size => 70, chunk_overlap => 10,
    text_config => 'simple', ranker => 'ts_rank_cd', title_weight => 4, bm25_b => 0.3, match_threshold => -0.9, fold_accents => false, part_weight => 0.25, answer_threshold => 0.9, log_searches => true) AS old \gset
INSERT INTO kb_old_base.document (title, content, source_key)
SELECT 'Title ' || n, 'Sentence one of text ' || n || '. Sentence two is about ' || md5(n::text) || '. And a third.', 'text-' || n FROM generate_series(1, 30) n;
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'Old Base');
CREATE TABLE answers AS SELECT 'hybrid' AS mode, title, content, score FROM kb_hybrid_search('sentence about text 7', 'Old Base', 10)
    UNION ALL SELECT 'bm25', title, content, score FROM kb_search('sentence text 7', 'Old Base', 'keyword', 10, ranker => 'bm25');
CREATE TABLE chunks AS SELECT c.id, c.xmin AS written, e.xmin AS embedded FROM kb_old_base.chunk c JOIN kb_old_base.embedding e ON e.chunk_id = c.id;
CREATE TABLE settings AS SELECT * FROM kb_list();
DROP EXTENSION kb_rag CASCADE;
SELECT count(*) FROM kb_old_base.chunk;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag;
SET client_min_messages = warning;
SELECT count(*) FROM kb_list();
-- Nothing is said of the triggers and the index that are missing.
SET client_min_messages = notice;
SELECT kb_adopt('kb_old_base') = :'old' AS same_id;
SET client_min_messages = warning;
SELECT count(*) AS changed_settings FROM (SELECT name, schema, description, owner, model, dimensions, chunk_size, chunk_overlap, chunk_unit, chunk_strategy, text_config, ranker, index_method, embed, bm25_k1, bm25_b, title_weight, heading_weight, match_threshold, fold_accents, part_weight, lexeme_format, answer_threshold, log_searches FROM kb_list()
    EXCEPT SELECT name, schema, description, owner, model, dimensions, chunk_size, chunk_overlap, chunk_unit, chunk_strategy, text_config, ranker, index_method, embed, bm25_k1, bm25_b, title_weight, heading_weight, match_threshold, fold_accents, part_weight, lexeme_format, answer_threshold, log_searches FROM settings) s;
SELECT count(*) AS other_answers FROM (
    (SELECT 'hybrid' AS mode, title, content, score FROM kb_hybrid_search('sentence about text 7', 'Old Base', 10)
    UNION ALL SELECT 'bm25', title, content, score FROM kb_search('sentence text 7', 'Old Base', 'keyword', 10, ranker => 'bm25'))
    EXCEPT SELECT * FROM answers) a;
SELECT kb_reconcile('Old Base');
SELECT count(*) AS rewritten FROM chunks u LEFT JOIN kb_old_base.chunk c ON c.id = u.id LEFT JOIN kb_old_base.embedding e ON e.chunk_id = u.id
WHERE c.xmin IS DISTINCT FROM u.written OR e.xmin IS DISTINCT FROM u.embedded;

-- Everything works as before: triggers, defaults, indexes.
INSERT INTO kb_old_base.document (title, content) VALUES ('Fresh', 'A text about sorrel.');
UPDATE kb_old_base.document SET content = 'It is about chervil now.' WHERE source_key = 'text-1';
DELETE FROM kb_old_base.document WHERE source_key = 'text-2';
SELECT title FROM kb_search('sorrel', 'Old Base', 'keyword');
SELECT title FROM kb_search('chervil', 'Old Base', 'keyword');
SELECT kb_reconcile('Old Base');
SELECT indexrelid::regclass AS index, indisvalid FROM pg_index WHERE indrelid IN ('kb_old_base.chunk'::regclass, 'kb_old_base.embedding'::regclass) ORDER BY indexrelid::regclass::text;
CREATE FUNCTION shape(of text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attstorage, col_description(c.oid, a.attnum))
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = of::regnamespace AND c.relkind = 'r'
    UNION ALL SELECT replace(pg_get_indexdef(i.indexrelid), of, 'kb') FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = of::regnamespace
    UNION ALL SELECT concat_ws(' ', conname, replace(pg_get_constraintdef(oid), of, 'kb')) FROM pg_constraint WHERE connamespace = of::regnamespace AND contype NOT IN ('n', 't')
    UNION ALL SELECT regexp_replace(replace(pg_get_triggerdef(t.oid), of, 'kb'), '[0-9a-f-]{36}', 'id') FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE c.relnamespace = of::regnamespace AND NOT tgisinternal
$$;
SELECT kb_create('fresh', model => 'fake/test', dimensions => 8, chunk_size => 70, chunk_overlap => 10, title_weight => 4) IS NOT NULL AS created;
SELECT * FROM (SELECT * FROM shape('kb_old_base') EXCEPT SELECT * FROM shape('kb_fresh')) s ORDER BY shape COLLATE "C";
SELECT * FROM (SELECT * FROM shape('kb_fresh') EXCEPT SELECT * FROM shape('kb_old_base')) s ORDER BY shape COLLATE "C";

-- pgvector's CASCADE drops the vectors; they are made again.
DROP EXTENSION vector CASCADE;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag CASCADE;
SET client_min_messages = warning;
INSERT INTO kb_old_base.document (id, title, content) VALUES ('f0000000-0000-0000-0000-000000000001', 'Meanwhile', 'Written without the extension: lovage.');
SELECT kb_adopt('kb_old_base') = :'old' AS same_id;
SELECT title FROM kb_search('sorrel', 'Old Base', 'keyword');
SELECT kb_reconcile('Old Base') = (SELECT count(*) FROM kb_old_base.document) AS all_embedded;
SELECT kb_reconcile('Old Base');
SELECT title FROM kb_search('lovage', 'Old Base', 'keyword');
SELECT * FROM (SELECT * FROM shape('kb_old_base') EXCEPT SELECT * FROM shape('kb_fresh')) s ORDER BY shape COLLATE "C";
SELECT kb_adopt('kb_fresh') IS NOT NULL AS adopted;
SELECT kb_drop('fresh');

-- Invalid arguments.
SELECT * FROM error_of($$SELECT kb_adopt(NULL)$$);
SELECT * FROM error_of($$SELECT kb_adopt('kb_nowhere')$$);
SELECT * FROM error_of($$SELECT kb_adopt('public')$$);
SELECT * FROM error_of($$SELECT kb_adopt('kb_old_base')$$);
-- A name that is taken; a copy whose triggers name another base; a model with other dimensions; settings that are not
-- stored.
DROP EXTENSION kb_rag CASCADE;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag;
SET client_min_messages = warning;
SELECT kb_create('Old Base', model => 'fake/test', dimensions => 8) AS taken \gset
SELECT * FROM error_of($$SELECT kb_adopt('kb_old_base')$$);
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_old_base', 'Another', 'local/gone')$$);
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_old_base', '')$$);
DELETE FROM kb_old_base.setting;
COMMENT ON TABLE kb_old_base.setting IS 'the settings of the base, for kb_adopt; a dump of the schema alone has this copy: {"name": "Old';
SELECT * FROM error_of($$SELECT kb_adopt('kb_old_base')$$);
COMMENT ON TABLE kb_old_base.setting IS NULL;
SELECT * FROM error_of($$SELECT kb_adopt('kb_old_base', 'Another')$$);
INSERT INTO kb_old_base.setting VALUES ('chunk_size', 'many');
SELECT * FROM error_of($$SELECT kb_adopt('kb_old_base', 'Another', 'fake/test')$$);
UPDATE kb_old_base.setting SET value = '-1';
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_old_base', 'Another', 'fake/test')$$);
DELETE FROM kb_old_base.setting;
INSERT INTO kb_old_base.setting VALUES ('id', :'taken');
SELECT kb_adopt('kb_old_base', 'Another', 'fake/test') <> :'taken' AS other_id;
SELECT name, regexp_replace(schema, '[0-9a-f]{12}$', '<id>') AS schema, model, dimensions, chunk_size FROM kb_list() ORDER BY name;
SELECT title FROM kb_search('lovage', 'Another', 'keyword');
-- A copy of an agent's id would capture its searches.
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'Old Base');
DELETE FROM kb_rag.knowledge_base WHERE name = 'Another';
UPDATE kb_old_base.setting SET value = 'a0000000-0000-0000-0000-000000000001' WHERE name = 'id';
SELECT kb_adopt('kb_old_base', 'Another') <> 'a0000000-0000-0000-0000-000000000001' AS other_id;
-- Tables that are not those of a base.
ALTER TABLE kb_old_base.chunk RENAME COLUMN heading TO headline;
DELETE FROM kb_rag.knowledge_base WHERE name = 'Another';
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_old_base')$$);
ALTER TABLE kb_old_base.chunk RENAME COLUMN headline TO heading;

-- Dropped triggers; the catalog still lists the base.
SELECT kb_adopt('kb_old_base', 'Another') AS id \gset
DROP TRIGGER kb_rag_insert ON kb_old_base.document;
SELECT state, message FROM error_of($$SELECT * FROM kb_search('lovage', 'Another')$$);
SELECT kb_adopt('kb_old_base') = :'id' AS same_id;
SELECT title FROM kb_search('lovage', 'Another', 'keyword');

-- Vectors under another name are not discarded.
ALTER TABLE kb_old_base.embedding RENAME COLUMN embedding TO vec;
DELETE FROM kb_rag.knowledge_base WHERE name = 'Another';
SELECT * FROM error_of($$SELECT kb_adopt('kb_old_base')$$);
ALTER TABLE kb_old_base.embedding RENAME COLUMN vec TO embedding;
SELECT kb_adopt('kb_old_base', 'Another') AS id \gset

-- Tables restored from an older dump: the settings stored among them apply.
UPDATE kb_rag.knowledge_base SET model = 'fake/later' WHERE name = 'Another';
SELECT * FROM error_of($$SELECT kb_reconcile('Another')$$);
SELECT kb_adopt('kb_old_base') = :'id' AS same_id;
SELECT model FROM kb_list() WHERE name = 'Another';
SELECT kb_reconcile('Another');
-- So does their threshold; -1 and NULL are none, and so is a missing row.
UPDATE kb_old_base.setting SET value = '0.125' WHERE name = 'match_threshold';
SELECT state, message FROM error_of($$SELECT kb_reconcile('Another')$$);
SELECT kb_adopt('kb_old_base') = :'id' AS same_id;
SELECT match_threshold FROM kb_list() WHERE name = 'Another';
UPDATE kb_old_base.setting SET value = '-1' WHERE name = 'match_threshold';
SELECT kb_adopt('kb_old_base') = :'id' AS same_id;
SELECT match_threshold FROM kb_list() WHERE name = 'Another';
UPDATE kb_old_base.setting SET value = '-1' WHERE name = 'match_threshold';
SELECT kb_reconcile('Another');
UPDATE kb_old_base.setting SET value = NULL WHERE name = 'match_threshold';
SELECT kb_reconcile('Another');
DELETE FROM kb_old_base.setting WHERE name = 'match_threshold';
SELECT kb_reconcile('Another');

-- An object that an administrator puts in place of a table of the base does not run as the base's owner.
CREATE ROLE kb_regress_planter;
SELECT kb_grant('Another', 'kb_regress_planter', 'admin');
DROP TABLE kb_old_base.setting;
SET ROLE kb_regress_planter;
CREATE TABLE kb_old_base.setting (name text PRIMARY KEY, value text);
SELECT * FROM error_of($$SELECT kb_configure('Another', description => 'planted')$$);
DROP TABLE kb_old_base.setting;
CREATE VIEW kb_old_base.setting AS SELECT 'model' AS name, 'fake/view' AS value;
SELECT state FROM error_of($$SELECT kb_configure('Another', description => 'planted')$$);
DROP VIEW kb_old_base.setting;
SELECT kb_configure('Another', description => 'fine');
RESET ROLE;
SELECT kb_revoke('Another', 'kb_regress_planter', 'read');
DROP ROLE kb_regress_planter;

-- Only with the privileges of the tables' owner.
CREATE ROLE kb_regress_taker;
GRANT EXECUTE ON FUNCTION kb_adopt TO kb_regress_taker;
DELETE FROM kb_rag.knowledge_base WHERE name = 'Another';
SET ROLE kb_regress_taker;
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_old_base')$$);
RESET ROLE;
ALTER TABLE kb_old_base.document OWNER TO kb_regress_taker;
SET ROLE kb_regress_taker;
SELECT state FROM error_of($$SELECT kb_adopt('kb_old_base')$$);
RESET ROLE;
ALTER TABLE kb_old_base.document OWNER TO CURRENT_USER;
REVOKE EXECUTE ON FUNCTION kb_adopt FROM kb_regress_taker;
DROP ROLE kb_regress_taker;
DROP SCHEMA kb_old_base CASCADE;
SELECT kb_drop(name) FROM kb_list();
DROP FUNCTION shape;
DROP TABLE answers, chunks, settings;
