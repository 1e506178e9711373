-- kb_create reports the schema; every kind of name gets a usable one.
SELECT kb_create('Support Docs', description => 'all about support', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT name, schema, description, owner = current_user AS mine, model, dimensions, chunk_size, chunk_overlap, chunk_unit,
    chunk_strategy, text_config, ranker, index_method, embed
FROM kb_list();
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT kb_create(name, model => 'fake/test', dimensions => 8) IS NOT NULL AS created
FROM (VALUES ('知识库'), ('rag'), (repeat('x', 80)), ('it''s "quoted".and.dotted'), ('support-docs'), ('--')) t (name);
SELECT name, regexp_replace(schema, '[0-9a-f]{12}$', '<id>') AS schema FROM kb_list() ORDER BY name COLLATE "C";

-- Each of them works.
SELECT count(kb_add(name, 'some words about ' || name)) FROM kb_list();
SELECT name, (SELECT count(*) FROM kb_search('words', name)) AS found FROM kb_list() ORDER BY name COLLATE "C";

-- Settings are stored.
SELECT kb_create('set', model => 'fake/test', dimensions => 16, chunk_size => 300, chunk_overlap => 30,
    chunk_strategy => 'markdown', text_config => 'german', index_method => 'none', embed => 'inline') IS NOT NULL AS created;
SELECT dimensions, chunk_size, chunk_overlap, chunk_strategy, text_config, index_method, embed FROM kb_list() WHERE name = 'set';
SELECT kb_drop('set');

SELECT count(kb_create(strategy, model => 'fake/test', dimensions => 8, chunk_strategy => strategy)) AS strategies
FROM unnest('{auto,text,markdown,code,semantic,none}'::text[]) strategy;
SELECT name, chunk_strategy FROM kb_list() WHERE name = chunk_strategy ORDER BY name COLLATE "C";
SELECT count(kb_drop(name)) FROM kb_list() WHERE name = chunk_strategy;

-- Rejected, and nothing is left behind.
SELECT count(*) AS bases FROM kb_list() \gset
SELECT count(*) AS schemas FROM pg_namespace WHERE nspname ~ '^kb_' \gset
SELECT * FROM error_of($$SELECT kb_create(NULL)$$);
SELECT * FROM error_of($$SELECT kb_create('')$$);
SELECT * FROM error_of($$SELECT kb_create('   ')$$);
SELECT state, hint FROM error_of($$SELECT kb_create(repeat('x', 201))$$);
SELECT * FROM error_of($$SELECT kb_create('Support Docs')$$);
SELECT * FROM error_of($$SELECT kb_create('x', model => 'none/such')$$);
SELECT * FROM error_of($$SELECT kb_create('x', model => 'fake/test', dimensions => 20000)$$);
SELECT * FROM error_of($$SELECT kb_create('x', dimensions => 0)$$);
SELECT * FROM error_of($$SELECT kb_create('x', chunk_size => 0)$$);
SELECT * FROM error_of($$SELECT kb_create('x', chunk_size => 100)$$);
SELECT * FROM error_of($$SELECT kb_create('x', chunk_unit => 'byte')$$);
SELECT * FROM error_of($$SELECT kb_create('x', chunk_strategy => 'recursive')$$);
SELECT * FROM error_of($$SELECT kb_create('x', text_config => 'klingon')$$);
SELECT * FROM error_of($$SELECT kb_create('x', ranker => 'okapi')$$);
SELECT * FROM error_of($$SELECT kb_create('x', model => 'fake/test', dimensions => 5000, index_method => 'hnsw')$$);
SELECT * FROM error_of($$SELECT kb_create('x', embed => 'later')$$);
SELECT count(*) = :bases AS no_base_left FROM kb_list();
SELECT count(*) = :schemas AS no_schema_left FROM pg_namespace WHERE nspname ~ '^kb_';

-- A rolled back kb_create leaves nothing.
BEGIN;
SELECT kb_create('gone', model => 'fake/test') IS NOT NULL AS created;
SELECT count(*) FROM kb_list() WHERE name = 'gone';
ROLLBACK;
SELECT count(*) FROM kb_list() WHERE name = 'gone';
SELECT to_regnamespace('kb_gone');

-- kb_drop does not drop foreign objects.
SELECT kb_create('guarded', model => 'fake/test') IS NOT NULL AS created;
CREATE VIEW report AS SELECT title FROM kb_guarded.document;
SELECT state FROM error_of($$SELECT kb_drop('guarded')$$);
SELECT count(*) FROM kb_list() WHERE name = 'guarded';
DROP VIEW report;
CREATE TABLE kb_guarded.mine (x int);
SELECT state FROM error_of($$SELECT kb_drop('guarded')$$);
DROP TABLE kb_guarded.mine;
SELECT kb_drop('guarded');
SELECT * FROM error_of($$SELECT kb_drop('guarded')$$);
SELECT * FROM error_of($$SELECT kb_drop(NULL)$$);

-- If the schema of a base was dropped by hand, the error says so, and the base can be removed from the catalog.
SELECT kb_create('lost', model => 'fake/test') IS NOT NULL AS created;
DROP SCHEMA kb_lost CASCADE;
SELECT * FROM error_of($$SELECT * FROM kb_search('x', 'lost')$$);
SELECT * FROM error_of($$SELECT kb_create('lost')$$);
SELECT name FROM kb_list() WHERE name = 'lost';
SELECT count(*) FROM kb_search('x');
SELECT kb_drop('lost');

-- Above 2,000 dimensions the column is a halfvec; above 4,000 it has no index.
SELECT kb_create('wide', model => 'fake/test', dimensions => 3000) IS NOT NULL AS created;
SELECT kb_create('wider', model => 'fake/test', dimensions => 5000) IS NOT NULL AS created;
SELECT c.oid::regclass AS table, format_type(a.atttypid, a.atttypmod) AS type, a.attstorage AS storage,
    (SELECT count(*) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
     WHERE i.indrelid = c.oid AND m.amname = 'hnsw') AS hnsw
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding'
WHERE c.oid IN ('kb_wide.embedding'::regclass, 'kb_wider.embedding'::regclass) ORDER BY 1;
SELECT kb_add('wide', 'apples and pears') IS NOT NULL AND kb_add('wide', 'cars and bikes') IS NOT NULL
    AND kb_add('wider', 'apples and pears') IS NOT NULL AS added;
SELECT content, round(similarity::numeric, 3) AS similarity FROM kb_search('apples and pears', 'wide', mode => 'semantic');
SELECT content, round(similarity::numeric, 3) AS similarity FROM kb_search('apples and pears', 'wider', mode => 'semantic');

SELECT kb_drop(name) FROM kb_list();
SELECT count(*) FROM kb_list();
SELECT count(*) FROM pg_namespace WHERE nspname ~ '^kb_' AND nspname <> 'kb_rag';
