-- A node that does not answer, in searches over several nodes.
\pset format unaligned
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT kb_create('here', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_create('far', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
\c - - :worker_2
SET client_min_messages = warning;
SELECT kb_create('away', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT setting AS directory FROM pg_settings WHERE name = 'data_directory' \gset
\setenv DIRECTORY :directory
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000008', 'away');
\c - - :coordinator
SET client_min_messages = warning;
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000008', 'here');
SELECT kb_cluster_setup();
SELECT count(kb_add(name, 'Tea is hot ' || name || '.')) FROM unnest('{here,far,away}'::text[]) name;
SELECT knowledge_base FROM kb_search('tea', mode => 'keyword') ORDER BY 1;
-- It stops after it has told what it finds: the search begins again without it.
SELECT pg_advisory_lock(100);
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c 'SET client_min_messages = warning' -c "SET kb_rag.partial_results = on" -c "SET kb_rag.test_points = 'spread_rows=100'" -c "SELECT knowledge_base FROM kb_search('tea', mode => 'keyword') ORDER BY 1" 2>&1 | sed "s,$WORKER_2,WORKER_2,g" > $SCRATCH/partial & echo $! > $SCRATCH/pid
DO $$ BEGIN FOR i IN 1 .. 3000 LOOP IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 100 AND NOT granted) THEN RETURN; END IF; PERFORM pg_sleep(0.01); END LOOP; RAISE 'the search has not stopped'; END $$;
\! dev/cluster run $BIN/pg_ctl -s -w -D "$DIRECTORY" stop -m immediate >/dev/null 2>&1
SELECT pg_advisory_unlock(100);
\! while kill -0 $(cat $SCRATCH/pid) 2>/dev/null; do sleep 0.1; done
-- Citus warns of what it cannot cancel there.
\! grep -v 'cancel request\|PQcancel\|^$\|^DETAIL' $SCRATCH/partial
-- It fails, with the address of the node, whether or not there is a connection.
SELECT state, message LIKE '%' || :'worker_2' || '%' AS names_node FROM error_of($$SELECT kb_search('tea', mode => 'keyword')$$);
SELECT state, message LIKE '%' || :'worker_2' || '%' AS names_node FROM error_of($$SELECT kb_search('tea', knowledge_bases => '{here,away}')$$);
SELECT state, message LIKE '%' || :'worker_2' || '%' AS names_node FROM error_of($$SELECT kb_search('tea', agent_id => 'a0000000-0000-0000-0000-000000000008')$$);
-- What does not need it goes on.
SELECT knowledge_base FROM kb_search('tea', knowledge_bases => '{here,far}', mode => 'keyword') ORDER BY 1;
-- Left out, with a warning that names it.
SET kb_rag.partial_results = on;
SELECT knowledge_base FROM kb_search('tea', mode => 'keyword') ORDER BY 1;
SELECT knowledge_base FROM kb_search('tea', mode => 'semantic') ORDER BY 1;
SELECT knowledge_base FROM kb_search('tea', knowledge_bases => '{away,here}', mode => 'keyword');
SELECT knowledge_base FROM kb_search('tea', agent_id => 'a0000000-0000-0000-0000-000000000008', mode => 'keyword');
SELECT kb_context('tea', mode => 'keyword') LIKE '%Tea is hot here.%' AS found;
-- In a transaction, which goes on.
BEGIN;
SELECT kb_add('far', 'Tea is cold far.') IS NOT NULL AS added;
SELECT knowledge_base, content FROM kb_search('tea', mode => 'keyword') ORDER BY 1, 2;
ROLLBACK;
-- A base that is named fails.
SELECT state FROM error_of($$SELECT kb_search('tea', 'away')$$);
RESET kb_rag.partial_results;
\! dev/cluster run $BIN/pg_ctl -s -w -D "$DIRECTORY" restart >/dev/null 2>&1
SELECT knowledge_base FROM kb_search('tea', mode => 'keyword') ORDER BY 1;
SET kb_rag.partial_results = on;
SELECT knowledge_base FROM kb_search('tea', mode => 'keyword') ORDER BY 1;
-- Other errors are errors.
SELECT state, message FROM error_of($$SELECT kb_search('tea', knowledge_bases => '{here,far,nothing}')$$);
RESET kb_rag.partial_results;
SELECT kb_drop('here'), kb_drop('far'), kb_drop('away');
DROP TABLE kb_rag.handle, kb_rag.placement;
