-- What kb_rag makes, alters and drops stays on this node, and whatever Citus would do with the same statements of users.
SET client_min_messages = warning;
-- CREATE EXTENSION has run on all nodes.
SELECT count(*), bool_and(success) AS success, count(DISTINCT result) AS versions FROM run_command_on_all_nodes($$SELECT extversion FROM pg_extension WHERE extname = 'kb_rag'$$);
-- The control: a schema of a user is made on all of them.
CREATE SCHEMA plain;
SELECT * FROM schemas ORDER BY node;
DROP SCHEMA plain;

-- The settings in each statement of kb_rag that makes, alters or drops an object.
SET citus.enable_ddl_propagation = off;
CREATE TABLE seen (tag text, propagation text, sharding text);
CREATE FUNCTION see() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.seen VALUES (tg_tag, current_setting('citus.enable_ddl_propagation'), current_setting('citus.enable_schema_based_sharding'));
END
$$;
CREATE EVENT TRIGGER see ON ddl_command_start EXECUTE FUNCTION see();
SET citus.enable_ddl_propagation = on;
SELECT kb_create('one') IS NOT NULL AS created;
SELECT * FROM schemas ORDER BY node;
SHOW citus.enable_ddl_propagation;
-- Each new schema of a user is distributed; those of bases are not.
SET citus.enable_schema_based_sharding = on;
CREATE SCHEMA plain;
SELECT * FROM citus_schemas_of_bases;
DROP SCHEMA plain;
BEGIN;
SELECT kb_create('two') IS NOT NULL AS created;
SAVEPOINT s;
SELECT kb_create('three') IS NOT NULL AS created;
ROLLBACK TO s;
SELECT state FROM error_of($$SELECT kb_create('two')$$);
SHOW citus.enable_ddl_propagation;
SHOW citus.enable_schema_based_sharding;
SELECT kb_add('two', 'Tea is hot.', source_key => 'tea') IS NOT NULL AS added;
COMMIT;
SELECT * FROM schemas ORDER BY node;
SELECT * FROM citus_schemas_of_bases;
SHOW citus.enable_ddl_propagation;
SHOW citus.enable_schema_based_sharding;
-- Everything else that makes, alters or drops objects.
CREATE ROLE kb_test_citus_reader;
CREATE TABLE notes (id int PRIMARY KEY, body text NOT NULL);
INSERT INTO notes VALUES (1, 'Bread is warm.');
SELECT kb_grant('two', 'kb_test_citus_reader', 'read');
SELECT kb_expose('two');
SELECT kb_attach('notes', 'two', 'body', wait => true) IS NOT NULL AS attached;
UPDATE notes SET body = 'Bread is old.';
SELECT kb_question_add('two', 'hot tea', '{tea}') IS NOT NULL AS added;
SELECT kb_configure('two', index_method => 'ivfflat', upsert_key => true) IS NOT NULL AS configured;
SELECT kb_configure('two', index_method => 'hnsw', ranker => 'ts_rank') IS NOT NULL AS configured;
SELECT kb_reindex('two');
SELECT kb_configure('two', chunk_size => 500) IS NOT NULL AS configured;
CALL kb_work();
SELECT kb_rename('two', 'second');
SELECT content FROM kb_search('bread or tea', 'second', 'keyword') ORDER BY content;
SELECT content FROM kb_search('hot tea', 'second', match_count => 1);
SELECT kb_detach('notes', 'second', delete_documents => true);
SELECT kb_revoke('second', 'kb_test_citus_reader', 'read');
SET ROLE kb_test_citus_reader;
SELECT state, message FROM error_of($$SELECT kb_search('tea', 'second')$$);
RESET ROLE;
SELECT * FROM schemas ORDER BY node;
SELECT * FROM citus_schemas_of_bases;
SELECT count(*) FROM citus_tables;
SELECT kb_drop('second'), kb_drop('one');
SELECT * FROM schemas ORDER BY node;
DROP TABLE notes;
-- The last one is the control.
SELECT propagation, sharding, string_agg(DISTINCT tag, ', ') AS tags FROM seen WHERE tag NOT IN ('CREATE SCHEMA', 'DROP SCHEMA') GROUP BY 1, 2 ORDER BY 1;
SET citus.enable_ddl_propagation = off;
DROP EVENT TRIGGER see;
DROP TABLE seen;
SET citus.enable_ddl_propagation = on;
DROP ROLE kb_test_citus_reader;
