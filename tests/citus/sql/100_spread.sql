-- Searches over bases on three nodes find exactly what they find where one server has all of them.
\pset format unaligned
\set texts 'SELECT n, (SELECT string_agg(w[1 + (get_byte(sha256(convert_to(n || :\'base\' || k, \'UTF8\')), 0) * 7 + k * k) % array_length(w, 1)], \' \' ORDER BY k) FROM generate_series(1, 12 + n % 30) k) AS text FROM (SELECT string_to_array(:\'words\', \' \') AS w) words, generate_series(1, :count) n'
\set words 'pump valve seal bearing rotor shaft flange gasket motor inlet outlet pressure leak noise grease torque bolt AX-200 BX-310 flow rate filter housing impeller coupling alarm sensor cable fuse relay switch panel display menu error E17 reset manual service interval week month oil water steam hose clamp repair replace check clean dry test record invoice order part number price stock'
\set german 'Pumpe Ventil Dichtung Lager Welle Motor Druck Leck Fett Schraube AX-200 Filter Gehäuse Kupplung Alarm Sensor Kabel Sicherung Anzeige Fehler E17 Handbuch Wartung Woche Monat Öl Wasser Dampf Schlauch prüfen reinigen trocknen ersetzen Rechnung Bestellung Teil Nummer Preis Lagerbestand Druckluftfilter'
SET client_min_messages = warning;
CREATE ROLE kb_citus_reader LOGIN;
CREATE ROLE kb_citus_tenant LOGIN;
-- One base here, two on each worker. Three models: one that makes vectors of words, another one, and one that reads English.
\set base pumps
SELECT kb_create('pumps', model => 'fake/test', dimensions => 16, chunk_size => 60, chunk_overlap => 10) IS NOT NULL AS created;
\set count 70
SELECT count(kb_add('pumps', text, 'Pump ' || n, 'p' || n, metadata => jsonb_build_object('year', 2000 + n % 20, 'team', 'abc'::char(3), 'ratio', n * 1.10))) FROM (:texts) t;
\c - - :worker_1
SET client_min_messages = warning;
\set base valves
SELECT kb_create('valves', model => 'fake/test', dimensions => 16, chunk_size => 60, chunk_overlap => 10) IS NOT NULL AS created;
SELECT count(kb_add('valves', text, 'Valve ' || n, 'v' || n, 'note', metadata => jsonb_build_object('year', 2000 + n % 20, 'tenant', CASE WHEN n % 3 = 0 THEN 'kb_citus_tenant' ELSE 'other' END))) FROM (:texts) t;
-- Texts that the other node has too.
SELECT count(kb_add('valves', 'The pump AX-200 leaks at the seal; copy ' || n, source_key => 'copy' || n)) FROM generate_series(1, 2) n;
ALTER TABLE kb_valves.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kb_valves.document USING (metadata ->> 'tenant' = current_user OR metadata ->> 'tenant' IS NULL);
\set base kabel
SELECT kb_create('kabel', model => 'fake/other', dimensions => 16, text_config => 'german') IS NOT NULL AS created;
\set count 40
\set words :german
SELECT count(kb_add('kabel', text, 'Kabel ' || n, 'k' || n, metadata => jsonb_build_object('year', 2000 + n % 20))) FROM (:texts) t;
\c - - :worker_2
SET client_min_messages = warning;
\set base seals
SELECT kb_create('seals', model => 'fake/test', dimensions => 16, chunk_size => 60, chunk_overlap => 10, match_threshold => 0.2) IS NOT NULL AS created;
\set words 'pump valve seal bearing rotor shaft flange gasket motor inlet outlet pressure leak noise grease torque bolt AX-200 CX-55 flow rate filter housing impeller coupling alarm sensor cable fuse relay'
\set count 60
SELECT count(kb_add('seals', text, 'Seal ' || n, 's' || n, metadata => jsonb_build_object('year', 2000 + n % 20))) FROM (:texts) t;
SELECT count(kb_add('seals', 'The pump AX-200 leaks at the seal; copy ' || n, source_key => 'copy' || n)) FROM generate_series(1, 2) n;
\set base notes
SELECT kb_create('notes', model => 'local/all-minilm-l6-v2') IS NOT NULL AS created;
SELECT count(kb_add('notes', text, source_key => key)) FROM (VALUES ('greek', 'Η αντλία χάνει λάδι στη φλάντζα και χρειάζεται καινούργιο λάστιχο.'), ('leak', 'The pump loses oil at its seal. Replace the gasket and tighten the bolts.'), ('bill', 'The invoice for the spare parts is due within two weeks.')) t (key, text);
CALL kb_work();
-- An agent: what is attached is on the node of the base.
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000007', 'seals'), kb_attach_agent('a0000000-0000-0000-0000-000000000009', 'seals');
\c - - :worker_1
SET client_min_messages = warning;
CALL kb_work();
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000007', 'valves'), kb_attach_agent('a0000000-0000-0000-0000-000000000009', 'valves', filter => '{"year": {"$lt": 2015}}');
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000007', 'kabel', filter => '{"year": {"$gte": 2010}}');
\c - - :coordinator
SET client_min_messages = warning;
CALL kb_work();
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000007', 'pumps', filter => '{"year": 2003}'), kb_attach_agent('a0000000-0000-0000-0000-000000000009', 'pumps');
SELECT kb_cluster_setup();
SELECT name, groupid FROM kb_rag.placement ORDER BY name;
-- Readers: all but one base.
\c - - :worker_2
SET client_min_messages = warning;
SELECT kb_grant(name, 'kb_citus_reader', 'read') FROM unnest('{seals}'::text[]) name;
SELECT kb_grant(name, 'kb_citus_tenant', 'read') FROM unnest('{seals}'::text[]) name;
\c - - :worker_1
SET client_min_messages = error;
SELECT kb_grant(name, 'kb_citus_reader', 'read') FROM unnest('{valves,kabel}'::text[]) name;
SELECT kb_grant(name, 'kb_citus_tenant', 'read') FROM unnest('{valves}'::text[]) name;
\c - - :coordinator
SELECT kb_grant(name, 'kb_citus_tenant', 'read') FROM unnest('{pumps}'::text[]) name;
-- The same bases in one database.
\setenv SINGLE kb_rag_single
SET client_min_messages = warning;
CREATE DATABASE kb_rag_single;
\! $BIN/psql -XqAt -v ON_ERROR_STOP=1 -h $COORDINATOR -U postgres -d $SINGLE -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION vector' -c 'CREATE EXTENSION kb_rag'
\! for of in $COORDINATOR:pumps $WORKER_1:valves $WORKER_1:kabel $WORKER_2:seals $WORKER_2:notes; do $BIN/pg_dump -h ${of%:*} -U postgres -d $DATABASE -n kb_${of#*:} | PGOPTIONS='-c client_min_messages=error' $BIN/psql -Xq -v ON_ERROR_STOP=1 -h $COORDINATOR -U postgres -d $SINGLE >/dev/null; $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $SINGLE -c 'SET client_min_messages = error' -c "SELECT kb_adopt('kb_${of#*:}') IS NOT NULL"; done
\setenv ATTACH 'SELECT kb_attach_agent((\'a0000000-0000-0000-0000-00000000000\' || agent)::uuid, name, filter => filter::jsonb) FROM (VALUES (7, \'pumps\', \'{"year": 2003}\'), (7, \'valves\', \'{}\'), (7, \'kabel\', \'{"year": {"$gte": 2010}}\'), (7, \'seals\', \'{}\'), (9, \'pumps\', \'{}\'), (9, \'valves\', \'{"year": {"$lt": 2015}}\'), (9, \'seals\', \'{}\')) t (agent, name, filter) WHERE name IN (SELECT k.name FROM kb_list() k)'
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $SINGLE -c "$ATTACH"
-- All columns of all rows.
\! tests/citus/compare < tests/citus/questions.sql
-- From a worker.
\! grep -v '^--' tests/citus/questions.sql | head -12 | tests/citus/compare $WORKER_1
\! sed -n '/^-- Documents/,$p' tests/citus/questions.sql | tests/citus/compare $WORKER_2
-- After deletes, and chunks without vectors.
\! printf "SET kb_rag.inline_chunks = 0; SELECT kb_delete_where('pumps', '{\"year\": 2004}') > 0; SELECT kb_delete_where('seals', '{\"year\": 2004}') > 0; SELECT kb_add('valves', 'A valve AX-200 without a vector.', source_key => 'new') IS NOT NULL;\n" > $SCRATCH/changes.sql
\! $BIN/psql -Xq -h $COORDINATOR -U postgres -d $DATABASE -At -f $SCRATCH/changes.sql
\setenv AGAIN 'for of in $COORDINATOR:pumps $WORKER_1:valves $WORKER_2:seals; do $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $SINGLE -c \'SET client_min_messages = error\' -c "SELECT kb_drop(\'${of#*:}\')"; $BIN/pg_dump -h ${of%:*} -U postgres -d $DATABASE -n kb_${of#*:} | PGOPTIONS=\'-c client_min_messages=error\' $BIN/psql -Xq -v ON_ERROR_STOP=1 -h $COORDINATOR -U postgres -d $SINGLE >/dev/null; $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $SINGLE -c \'SET client_min_messages = error\' -c "SELECT kb_adopt(\'kb_${of#*:}\') IS NOT NULL"; done'
\! eval "$AGAIN"
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $SINGLE -c "$ATTACH"
\! grep -v '^--' tests/citus/questions.sql | head -20 | tests/citus/compare
-- While a merge of the keyword index is about to replace segments on each node, and after it.
\! for of in $COORDINATOR:pumps $WORKER_1:valves $WORKER_2:seals; do tests/citus/merge hold ${of%:*} ${of#*:}; done
\! eval "$AGAIN"
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $SINGLE -c "$ATTACH"
\! grep -v '^--' tests/citus/questions.sql | head -20 | tests/citus/compare
\! for of in $COORDINATOR:pumps $WORKER_1:valves $WORKER_2:seals; do tests/citus/merge release ${of%:*} ${of#*:}; done
\! grep -v '^--' tests/citus/questions.sql | head -12 | tests/citus/compare $WORKER_2
-- In a transaction that keeps its snapshot, and in one that wrote.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM kb_search('valve vector', mode => 'keyword');
SELECT count(*) FROM kb_search('valve vector', mode => 'keyword');
COMMIT;
BEGIN;
SELECT kb_add('valves', 'Zucchini in transit.') IS NOT NULL AS added;
SELECT kb_add('pumps', 'Zucchini at home.') IS NOT NULL AS added;
SELECT knowledge_base, content FROM kb_search('zucchini', mode => 'keyword') ORDER BY 1;
ROLLBACK;
SELECT count(*) FROM kb_search('zucchini', mode => 'keyword');
-- Rows that are deleted on other nodes between two trips make room for the next ones. Those here are seen as the statement began.
SELECT kb_add(name, 'Quince and zest ' || name || n, source_key => 'quince' || n) IS NOT NULL AS added FROM unnest('{valves,seals}'::text[]) name, generate_series(1, 4) n \g /dev/null
SELECT string_agg(knowledge_base || ' ' || content, ', ' ORDER BY rank) AS first FROM (SELECT *, row_number() OVER () AS rank FROM kb_search('quince', knowledge_bases => '{valves,seals}', mode => 'keyword', match_count => 5)) s \gset
SELECT pg_advisory_lock(100);
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c 'SET client_min_messages = warning' -c "SET kb_rag.test_points = 'spread_rows=100'" -c "SELECT string_agg(knowledge_base || ' ' || content, ', ' ORDER BY rank) FROM (SELECT *, row_number() OVER () AS rank FROM kb_search('quince', knowledge_bases => '{valves,seals}', mode => 'keyword', match_count => 5)) s" > $SCRATCH/replaced 2>&1 & echo $! > $SCRATCH/pid
DO $$ BEGIN FOR i IN 1 .. 3000 LOOP IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 100 AND NOT granted) THEN RETURN; END IF; PERFORM pg_sleep(0.01); END LOOP; RAISE 'the search has not stopped'; END $$;
SELECT count(kb_delete(document_id, knowledge_base)) AS deleted FROM (SELECT document_id, knowledge_base FROM kb_search('quince', knowledge_bases => '{valves,seals}', mode => 'keyword', match_count => 3)) s;
SELECT pg_advisory_unlock(100);
\! while kill -0 $(cat $SCRATCH/pid) 2>/dev/null; do sleep 0.1; done
\set replaced `cat $SCRATCH/replaced`
SELECT string_agg(knowledge_base || ' ' || content, ', ' ORDER BY rank) AS left_over FROM (SELECT *, row_number() OVER () AS rank FROM kb_search('quince', knowledge_bases => '{valves,seals}', mode => 'keyword', match_count => 5)) s \gset
SELECT cardinality(string_to_array(:'replaced', ', ')) AS rows, :'replaced' <> :'first' AS differs, string_to_array(:'replaced', ', ') @> string_to_array(:'left_over', ', ') AS all_there_are;
-- Four trips, whatever is asked: statistics, candidates by keyword, by vectors, rows.
\setenv PGOPTIONS '-c citus.log_remote_commands=on -c client_min_messages=notice'
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c "SELECT count(*) FROM kb_search('pump leak', knowledge_bases => '{pumps,valves,seals}')" 2>&1 | grep -o 'kb_rag.part_[a-z]*(' | sort | uniq -c
\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c "SELECT count(*) FROM kb_search('pump leak', knowledge_bases => '{pumps,valves,seals}', mode => 'keyword')" 2>&1 | grep -o 'kb_rag.part_[a-z]*(' | sort | uniq -c
\setenv PGOPTIONS
-- Logged once, on the node that searches, with the bases of all.
SET kb_rag.log_searches = on;
SELECT count(*) FROM kb_rag.logged_search('pump leak', knowledge_bases => '{pumps,seals}', mode => 'keyword');
SELECT kb_call_tool('search_knowledge', '{"query": "leak"}') IS NOT NULL AS all_bases, kb_call_tool('search_valves', '{"query": "leak"}') IS NOT NULL AS one;
SELECT kb_call_tool('read_knowledge', jsonb_build_object('id', document_id)) #>> '{isError}' AS fails FROM kb_search('AX-200', 'valves', 'keyword', 1);
RESET kb_rag.log_searches;
SELECT tool, query ~ '^[0-9a-f-]{36}$' AS is_id, cardinality(knowledge_bases) AS bases, jsonb_array_length(results) AS results FROM kb_rag.search_log ORDER BY tool, bases, is_id;
SELECT DISTINCT result FROM run_command_on_workers('SELECT count(*) FROM kb_rag.search_log');
-- A document is found on the node that has it, and so is one here.
SELECT kb_add('valves', 'A valve to remove.', source_key => 'removed') AS there, kb_add('pumps', 'A pump to remove.', source_key => 'removed') AS here \gset
SELECT knowledge_base, text FROM kb_read(:'there') UNION ALL SELECT knowledge_base, text FROM kb_read(:'here');
SELECT kb_refresh(:'there') AS there, kb_refresh(:'here') AS here;
SELECT kb_delete(:'there') AS there, kb_delete(:'here') AS here, kb_delete(:'there') AS there_again, kb_delete(:'here') AS here_again;
SELECT count(*) FROM kb_search('remove', knowledge_bases => '{pumps,valves}', mode => 'keyword');
SELECT state, message, hint FROM error_of($$SELECT kb_read('d0000000-0000-0000-0000-000000000001')$$);
-- Two nodes have a document of the same id.
INSERT INTO kb_pumps.document (id, content) VALUES ('d0000000-0000-0000-0000-000000000002', 'Twice.');
\c - - :worker_1
SET client_min_messages = warning;
INSERT INTO kb_valves.document (id, content) VALUES ('d0000000-0000-0000-0000-000000000002', 'Twice.');
SELECT state, message, hint FROM error_of($$SELECT kb_delete('d0000000-0000-0000-0000-000000000002')$$);
SELECT kb_delete('d0000000-0000-0000-0000-000000000002', 'valves') AS named;
SELECT kb_delete('d0000000-0000-0000-0000-000000000002') AS not_named;
\c - - :coordinator
SET client_min_messages = warning;
-- Whole texts come in as many answers as they need.
SELECT count(*) AS documents, sum(length(text)) AS characters FROM kb_search_documents('pump', knowledge_bases => '{pumps,valves}', level => 'content', mode => 'keyword', match_count => 100) \gset
SET kb_rag.test_limits = 'max_answer_text=1';
SELECT count(*) = :documents AS all_there, sum(length(text)) = :characters AS whole, count(*) > 12 AS are_many FROM kb_search_documents('pump', knowledge_bases => '{pumps,valves}', level => 'content', mode => 'keyword', match_count => 100);
RESET kb_rag.test_limits;
-- A tool of each base, even where nodes have the same name for two of them.
SELECT kb_create('Valves!', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('Valves!', 'Valves of brass.') IS NOT NULL AS added;
SELECT regexp_replace(tool ->> 'name', '[0-9a-f]{12}$', 'ID') AS name FROM jsonb_array_elements(kb_tools(tools => 'search')) tool;
SELECT kb_call_tool(tool ->> 'name', '{"query": "valves"}') #>> '{sources,0,knowledge_base}' AS base FROM jsonb_array_elements(kb_tools(tools => 'search')) tool WHERE tool ->> 'name' ~ '^search_valves_' ORDER BY 1;
SELECT kb_drop('Valves!');
-- Bases without vectors, on two nodes.
SELECT kb_create('waits', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_create('idle', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SET kb_rag.inline_chunks = 0;
SELECT kb_add('idle', 'Tea.') IS NOT NULL AS added;
\c - - :coordinator
SET kb_rag.inline_chunks = 0;
SELECT kb_add('waits', 'Tea.') IS NOT NULL AS added;
SELECT count(*) FROM kb_search('tea', knowledge_bases => '{waits,idle}', mode => 'semantic');
RESET kb_rag.inline_chunks;
SET client_min_messages = warning;
SELECT kb_drop('waits'), kb_drop('idle');
-- Bases of other roles are left out, with one notice for those of all nodes.
SELECT kb_grant_admin('kb_citus_tenant');
\c - - :worker_1
SET client_min_messages = warning;
SET ROLE kb_citus_tenant;
SELECT kb_create('outside1', model => 'fake/test', dimensions => 16) IS NOT NULL AS created;
\c - - :worker_2
SET client_min_messages = warning;
SET ROLE kb_citus_tenant;
SELECT kb_create('outside2', model => 'fake/test', dimensions => 16) IS NOT NULL AS created;
\c - - :coordinator
SELECT count(*) FROM kb_search('zucchini', mode => 'keyword');
SELECT sum(documents) > 0 AS has_documents FROM kb_stats();
SELECT jsonb_array_length(kb_tools(tools => 'search')) > 0 AS has_tools;
SET client_min_messages = warning;
SELECT kb_drop('outside1'), kb_drop('outside2');
SELECT kb_revoke_admin('kb_citus_tenant');
-- Mistakes are those of one server.
SELECT state, message FROM error_of($$SELECT kb_search('pump', knowledge_bases => '{pumps,valves,nothing}')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_search('pump', query_embedding => kb_embed('pump', 'fake/test', 16))$$);
SELECT state, message, hint FROM error_of($$SELECT kb_browse(match_offset => 2000000)$$);
SET ROLE kb_citus_reader;
SELECT state, message FROM error_of($$SELECT kb_search('pump', knowledge_bases => '{pumps,valves}')$$);
SELECT state, message FROM error_of($$SELECT kb_search('pump', knowledge_bases => '{valves,notes}')$$);
SELECT count(*) FROM kb_search('pump', knowledge_bases => '{valves,seals}');
RESET ROLE;
-- Code of an owner asks no other node.
CREATE FUNCTION peek() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM count(*) FROM public.kb_search('kept', knowledge_bases => '{pumps,valves}'); RETURN NEW; END $$;
CREATE TRIGGER peek BEFORE INSERT ON kb_pumps.chunk FOR EACH ROW EXECUTE FUNCTION peek();
SELECT state, message FROM error_of($$SELECT kb_add('pumps', 'More.')$$);
DROP TRIGGER peek ON kb_pumps.chunk;
DROP FUNCTION peek;
-- Another protocol.
SELECT min(key) AS key FROM kb_rag.handle JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('kb_rag.handle', key)
JOIN pg_dist_node n USING (groupid) WHERE n.nodename = :'worker_1' \gset
SELECT state, message, hint FROM error_of(format($$SELECT f FROM kb_rag.handle h, LATERAL kb_rag.part_statistics('[2, {}, {}]') f WHERE h.key = %s$$, :key));
SELECT state, message FROM error_of(format($$SELECT f FROM kb_rag.handle h, LATERAL kb_rag.part_rows('[2, {}, {}]') f WHERE h.key = %s$$, :key));
SELECT kb_drop(name) FROM unnest('{pumps,valves,kabel,seals,notes}'::text[]) name;
DROP TABLE kb_rag.handle, kb_rag.placement;
DROP DATABASE kb_rag_single;
DROP OWNED BY kb_citus_reader, kb_citus_tenant;
DROP ROLE kb_citus_reader, kb_citus_tenant;
