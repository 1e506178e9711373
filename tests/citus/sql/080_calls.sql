-- Calls go to the node of the base, from each node.
\pset format unaligned
SET client_min_messages = warning;
SELECT kb_create('here', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_create('far', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('away', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
\c - - :coordinator
SET client_min_messages = warning;
SELECT kb_cluster_setup();
SELECT kb_add('here', 'Tea is hot.', source_key => 'tea') IS NOT NULL AS added;
-- Writes and searches.
SELECT kb_add('far', 'Coffee is hot. Zebras are not.', 'Drinks', 'coffee', metadata => '{"kind": "drink"}', language => 'en') AS document \gset
SELECT kb_add('away', 'Water is cold.', source_key => 'water') IS NOT NULL AS added;
SELECT kb_add_file('far', 'Milk is white.', 'milk.txt') IS NOT NULL AS added;
SELECT kb_add_output('far', repeat('Long output about lemons. ', 20)) IS NOT NULL AS added;
SELECT chunk_id IS NOT NULL AS chunk, document_id = :'document' AS document, knowledge_base, title, source, content, metadata ->> 'kind' AS kind, score > 0 AS score, keyword_rank FROM kb_search('zebras', 'far', 'keyword');
SELECT knowledge_base, content FROM kb_search('water', knowledge_bases => '{far,away}', mode => 'keyword', neighbors => 1, snippet => true);
SELECT knowledge_base, content, similarity IS NOT NULL AS similarity FROM kb_hybrid_search('coffee', 'far', match_count => 1, filter => '{"kind": "drink"}');
SELECT content, similarity > 0 AS similar FROM match_knowledge_chunks((SELECT knowledge_base_id FROM kb_rag.placement WHERE name = 'far'), kb_embed('coffee', 'fake/test', 8), 1, -1);
SELECT title, best_chunk_id IS NOT NULL AS chunk FROM kb_search_documents('coffee', 'far', match_count => 1, mode => 'keyword');
SELECT kb_context('zebras', 'far', mode => 'keyword') LIKE '%Zebras%' AS context;
SELECT kb_context('nothing of this', 'far', mode => 'keyword') IS NULL AS none;
SELECT title, text FROM kb_read(:'document', knowledge_base => 'far');
SELECT title, status FROM kb_browse('far') ORDER BY title;
SELECT * FROM kb_stats('far') ORDER BY 1;
SELECT kb_explain('zebras', 'far', mode => 'keyword') ? 'results' AS explained;
-- The other functions.
SELECT kb_configure('far', chunk_size => 500, description => 'Drinks');
SELECT kb_reindex('far');
SELECT kb_reconcile('far') >= 0 AS reconciled;
SELECT kb_retry('far');
SELECT kb_delete_where('far', '{"kind": "none"}');
SELECT kb_refresh(:'document', 'far');
SELECT kb_delete(:'document', 'far') AS deleted, kb_delete(:'document', 'far') AS again;
SELECT count(*) FROM kb_search('zebras', 'far', 'keyword');
-- Errors are those of the node: SQLSTATE, message, hint.
SELECT state, message, hint FROM error_of($$SELECT kb_search('tea', 'far', match_count => -1)$$);
SELECT state, message, hint FROM error_of($$SELECT kb_add('far', NULL)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('far', chunk_size => 1)$$);
-- Notices come along.
SET client_min_messages = notice;
SELECT count(*) FROM kb_search('the', 'far', 'keyword');
SET client_min_messages = warning;
-- A transaction over two nodes: all or nothing.
BEGIN;
SELECT kb_add('here', 'Zucchini.') IS NOT NULL AS here, kb_add('far', 'Zucchini.') IS NOT NULL AS far;
SELECT (SELECT count(*) FROM kb_search('zucchini', 'here', 'keyword')) AS here, (SELECT count(*) FROM kb_search('zucchini', 'far', 'keyword')) AS far;
ROLLBACK;
SELECT (SELECT count(*) FROM kb_search('zucchini', 'here', 'keyword')) AS here, (SELECT count(*) FROM kb_search('zucchini', 'far', 'keyword')) AS far;
BEGIN;
SELECT kb_add('far', 'Kept.') IS NOT NULL AS added;
SAVEPOINT a;
SELECT kb_add('far', 'Undone.') IS NOT NULL AS added;
ROLLBACK TO a;
COMMIT;
SELECT content FROM kb_search('kept', 'far', 'keyword') UNION ALL SELECT content FROM kb_search('undone', 'far', 'keyword');
-- Roles: the privileges of the caller there.
CREATE ROLE kb_citus_reader LOGIN;
SELECT kb_grant('far', 'kb_citus_reader', 'read');
SET ROLE kb_citus_reader;
SELECT content FROM kb_search('kept', 'far', 'keyword');
SELECT state, message FROM error_of($$SELECT kb_add('far', 'No.')$$);
SELECT state, message FROM error_of($$SELECT kb_search('water', 'away')$$);
SELECT state, message FROM error_of($$SELECT kb_drop('far')$$);
RESET ROLE;
BEGIN;
SET LOCAL ROLE kb_citus_reader;
SELECT content FROM kb_search('kept', 'far', 'keyword');
ROLLBACK;
SELECT kb_revoke('far', 'kb_citus_reader', 'read');
SET ROLE kb_citus_reader;
SELECT state, message FROM error_of($$SELECT kb_search('kept', 'far')$$);
RESET ROLE;
-- A cancel ends the call there.
\c - - :worker_1
SET citus.enable_ddl_propagation = off;
SET citus.enable_metadata_sync = off;
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_catalog.pg_sleep(120); RETURN NEW; END $$;
CREATE TRIGGER slow BEFORE INSERT ON kb_far.chunk FOR EACH ROW WHEN (NEW.content = 'Slow.') EXECUTE FUNCTION slow();
\c - - :coordinator
SET client_min_messages = warning;
CREATE FUNCTION sleeping() RETURNS int LANGUAGE sql AS $$
SELECT sum(result::int)::int FROM run_command_on_workers($q$SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'$q$) $$;
SET statement_timeout = '2s';
SELECT kb_add('far', 'Slow.');
\echo :SQLSTATE
RESET statement_timeout;
DO $$ BEGIN FOR i IN 1 .. 300 LOOP EXIT WHEN sleeping() = 0; PERFORM pg_sleep(0.1); END LOOP; END $$;
SELECT sleeping();
\c - - :worker_1
SET citus.enable_ddl_propagation = off;
SET citus.enable_metadata_sync = off;
DROP TRIGGER slow ON kb_far.chunk;
DROP FUNCTION slow;
\c - - :coordinator
SET client_min_messages = warning;
DROP FUNCTION sleeping;
-- Writes are prepared on each node, reads are not.
\setenv PGOPTIONS '-c citus.log_remote_commands=on -c client_min_messages=notice'
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c BEGIN -c "SELECT kb_add('here', 'One.')" -c "SELECT kb_add('far', 'Two.')" -c COMMIT 2>&1 | grep -c 'issuing PREPARE TRANSACTION'
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c "SELECT kb_add('far', 'Three.')" 2>&1 | grep -c 'issuing PREPARE TRANSACTION'
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c BEGIN -c "SELECT content FROM kb_search('two', 'far', 'keyword')" -c COMMIT 2>&1 | grep -c 'issuing PREPARE TRANSACTION'
-- Only what was given is sent.
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c "SELECT content FROM kb_search('two', 'far', 'keyword', match_count => 5, neighbors => 1, source_type => NULL)" 2>&1 | grep -o 'kb_search([^)]*)'
\setenv PGOPTIONS
-- Scopes: on one other node the call goes there. Searches, lists and documents are for several nodes (100_spread).
SELECT knowledge_base, content FROM kb_search('tea', knowledge_bases => '{here,far}', mode => 'keyword');
SELECT knowledge_base, content FROM kb_search('tea', knowledge_bases => '{here}', mode => 'keyword');
-- Functions that do not go there say so.
SELECT state, message, replace(hint, :'worker_1', 'WORKER') AS hint FROM error_of($$SELECT kb_expose('far')$$);
-- An agent whose bases are on one node.
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'far'), kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'away');
-- From a worker: the coordinator has the base.
SELECT content FROM kb_search('tea', 'here', 'keyword');
SELECT kb_add('here', 'Juice is sweet.') IS NOT NULL AS added;
SELECT content FROM kb_search('juice', 'here', 'keyword');
\c - - :coordinator
SET client_min_messages = warning;
SELECT content FROM kb_search('water', agent_id => 'a0000000-0000-0000-0000-000000000001', mode => 'keyword');
SELECT content FROM kb_search('water', 'away', agent_id => 'a0000000-0000-0000-0000-000000000001', mode => 'keyword');
SELECT state, message FROM error_of($$SELECT kb_search('water', 'here', agent_id => 'a0000000-0000-0000-0000-000000000001')$$);
SELECT kb_detach_agent('a0000000-0000-0000-0000-000000000001', 'away');
SELECT count(*) FROM kb_search('water', agent_id => 'a0000000-0000-0000-0000-000000000001', mode => 'keyword');
SELECT count(*) FROM kb_search('water', agent_id => 'a0000000-0000-0000-0000-000000000002', mode => 'keyword');
-- Code of an owner reaches no other node.
CREATE FUNCTION peek() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM count(*) FROM public.kb_search('kept', 'far'); RETURN NEW; END $$;
CREATE TRIGGER peek BEFORE INSERT ON kb_here.chunk FOR EACH ROW EXECUTE FUNCTION peek();
SELECT state, message FROM error_of($$SELECT kb_add('here', 'More.')$$);
-- Renamed and dropped there; all nodes know.
SELECT kb_rename('away', 'distant');
SELECT state, message FROM error_of($$SELECT kb_rename('distant', 'here')$$);
SELECT state, message FROM error_of($$SELECT kb_rename('distant', 'far')$$);
SELECT content FROM kb_search('water', 'distant', 'keyword');
BEGIN;
SELECT kb_drop('distant');
SELECT state FROM error_of($$SELECT kb_search('water', 'distant')$$);
ROLLBACK;
SELECT content FROM kb_search('water', 'distant', 'keyword');
SELECT kb_drop('distant');
SELECT state, message FROM error_of($$SELECT kb_search('water', 'distant')$$);
SELECT name, groupid FROM kb_rag.placement ORDER BY name;
SELECT kb_drop('far');
-- All that are left are here.
SELECT content FROM kb_search('juice', mode => 'keyword');
SELECT kb_drop('here');
\c - - :worker_1
SELECT name FROM kb_list();
\c - - :coordinator
SET client_min_messages = warning;
DROP FUNCTION peek;
DROP TABLE kb_rag.handle, kb_rag.placement;
DROP ROLE kb_citus_reader;
