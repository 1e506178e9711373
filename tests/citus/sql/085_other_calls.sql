-- The other functions that go to the node of the base, and those that act on all nodes.
\pset format unaligned
SET client_min_messages = warning;
SELECT kb_create('here', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_cluster_setup();
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_create('far', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('away', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
\c - - :coordinator
SET client_min_messages = warning;
SELECT kb_add('far', 'Coffee is hot.', 'Drinks', 'coffee') IS NOT NULL AS added, kb_add('far', 'Water is cold.', source_key => 'water') IS NOT NULL AS water;
-- Lists: all nodes; with a base, its node.
SELECT name, node = :'coordinator' || ':5432' AS here, node = :'worker_1' || ':5432' AS there FROM kb_list() ORDER BY name;
SELECT knowledge_base, documents, node = :'worker_1' || ':5432' AS there FROM kb_rag.status ORDER BY 1;
SELECT bases, reachable FROM kb_rag.cluster;
SELECT kb_add_url('far', 'https://example.com/', exclude_patterns => '{*.pdf}', sync_interval => '2 hours') AS source \gset
SELECT source_id = :'source' AS same, knowledge_base, location, exclude_patterns, sync_interval FROM kb_source_list('far');
SELECT knowledge_base, location FROM kb_source_list();
-- Questions.
SELECT kb_question_add('far', 'What is hot?', expected_keys => '{coffee}', tags => '{a}', weight => 2) IS NOT NULL AS added;
SELECT kb_question_add('far', 'What is cold?', expected_texts => '{cold}') IS NOT NULL AS added;
SELECT count(*) > 0 AS drafted FROM kb_question_draft('far', 2);
SELECT place, arguments, questions, missing, hits_5 FROM kb_evaluate('far', '{"mode": "keyword"}', tag => 'a');
SELECT question, weight, rank, missing FROM kb_evaluate_questions('far', '{"mode": "keyword"}', tag => 'a');
SELECT measure, verdict <> '' AS verdict FROM kb_compare('far', '{"mode": "keyword"}', '{"mode": "semantic"}') ORDER BY 1;
SELECT message <> '' AS suggested FROM kb_suggest('far');
SELECT model, chunks FROM kb_estimate('far');
SELECT kb_warm_query('coffee', 'far');
-- Tables are those of the node of the base.
CREATE TABLE kb_citus_notes (id int PRIMARY KEY, content text);
SELECT state, message FROM error_of($$SELECT kb_attach('kb_citus_notes', 'far', 'content')$$);
SELECT state, message FROM error_of($$SELECT kb_detach('kb_citus_notes', 'far')$$);
SELECT state, message FROM error_of($$SELECT kb_import('far', 'kb_citus_notes', '{"content": "content", "embedding": "content"}')$$);
SELECT state, message FROM error_of($$SELECT kb_expose('far')$$);
DROP TABLE kb_citus_notes;
-- An agent of one node: its tools are there.
SELECT kb_attach_agent(kb_agent('one'), 'far', '{}'), kb_attach_agent(kb_agent('one'), 'away');
SELECT knowledge_base, use_knowledge_base FROM kb_agent_list() WHERE agent_id = kb_agent('one') ORDER BY 1;
SELECT knowledge_base FROM kb_agent_list('far');
SELECT tool ->> 'name' AS name FROM jsonb_array_elements(kb_tools(kb_agent('one'))) tool ORDER BY 1;
SELECT kb_call_tool('search_knowledge', '{"query": "coffee", "mode": "keyword"}', kb_agent('one')) #>> '{content,0,text}' LIKE '%Coffee is hot.%' AS found;
SELECT state, message FROM error_of($$SELECT kb_call_tool('no_tool', '{}', kb_agent('one'))$$);
SELECT kb_snippets('[{"role": "user", "content": "coffee"}]', 1, 'one') ->> 0 LIKE '%Coffee is hot.%' AS snippet;
-- Its searches are logged once, on its node.
SELECT kb_configure('far', log_searches => true), kb_configure('away', log_searches => true);
SELECT kb_call_tool('search_knowledge', '{"query": "hot coffee"}', kb_agent('one')) IS NOT NULL AS called;
SELECT count(*) FROM kb_rag.search_log;
\c - - :worker_1
SET client_min_messages = warning;
SELECT tool, query, agent_id FROM kb_rag.search_log;
\c - - :coordinator
SET client_min_messages = warning;
-- One without a base: the base that stands in.
SELECT kb_snippets('[{"role": "user", "content": "coffee"}]', 1, 'nobody', fallback_base => 'far') ->> 0 LIKE '%Coffee is hot.%' AS snippet;
SELECT name, knowledge_base FROM kb_agent_list('far', unattached => true);
SELECT name, knowledge_base FROM kb_agent_list(unattached => true);
-- Settings of agents.
SELECT kb_agent_configure(kb_agent('one'), use_knowledge_base => false);
SELECT knowledge_base, use_knowledge_base FROM kb_agent_list() ORDER BY 1;
SELECT kb_snippets('[{"role": "user", "content": "coffee"}]', 1, 'one');
SELECT kb_agent_configure(kb_agent('one'), use_knowledge_base => true);
SELECT state, message FROM error_of($$SELECT kb_agent_configure(kb_agent('nobody'), true)$$);
SELECT state, message LIKE '% is the id of a knowledge base' AS is_base FROM error_of($$SELECT kb_attach_agent((SELECT knowledge_base_id FROM kb_rag.placement WHERE name = 'far'), 'here')$$);
-- An agent of two nodes.
SELECT kb_attach_agent(kb_agent('one'), 'here');
SELECT knowledge_base FROM kb_agent_list() WHERE agent_id = kb_agent('one') ORDER BY 1;
SELECT kb_agent_configure(kb_agent('one'), use_knowledge_base => false);
SELECT knowledge_base, use_knowledge_base FROM kb_agent_list() ORDER BY 1;
-- No role adds to the searches of another role's agent.
CREATE ROLE kb_citus_admin LOGIN;
SELECT kb_grant_admin('kb_citus_admin');
SELECT result FROM run_command_on_all_nodes($$SELECT has_function_privilege('kb_citus_admin', (SELECT oid FROM pg_proc WHERE proname = 'kb_create'), 'EXECUTE')$$);
\c - kb_citus_admin :worker_1
SET client_min_messages = warning;
SELECT kb_create('own', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
\c - kb_citus_admin :coordinator
SET client_min_messages = warning;
SELECT name FROM kb_list() ORDER BY 1;
SELECT state, message FROM error_of($$SELECT kb_attach_agent(kb_agent('one'), 'own')$$);
SELECT state, message FROM error_of($$SELECT kb_attach_agent(kb_agent('one'), 'far')$$);
SELECT state, message FROM error_of($$SELECT kb_agent_configure(kb_agent('one'), true)$$);
SELECT state, message FROM error_of($$SELECT kb_agent_drop(kb_agent('one'))$$);
SELECT kb_attach_agent(kb_agent('mine'), 'own');
SELECT knowledge_base FROM kb_agent_list() ORDER BY 1;
SELECT kb_agent_drop(kb_agent('mine'));
SELECT kb_drop('own');
\c - postgres :coordinator
SET client_min_messages = warning;
SELECT kb_revoke_admin('kb_citus_admin');
SELECT result FROM run_command_on_all_nodes($$SELECT has_function_privilege('kb_citus_admin', (SELECT oid FROM pg_proc WHERE proname = 'kb_create'), 'EXECUTE')$$);
DROP ROLE kb_citus_admin;
-- Dropped everywhere, with its documents.
SELECT kb_add('far', 'Of the agent.', metadata => jsonb_build_object('agent_id', kb_agent('one'))) IS NOT NULL AS far, kb_add('here', 'Of the agent.', metadata => jsonb_build_object('agent_id', kb_agent('one'))) IS NOT NULL AS here;
BEGIN;
SELECT kb_agent_drop(kb_agent('one'), delete_documents => true);
ROLLBACK;
SELECT count(*) FROM kb_agent_list();
SELECT kb_agent_drop(kb_agent('one'), delete_documents => true);
SELECT count(*) FROM kb_agent_list();
-- In code of an owner and in parallel queries other nodes are not reached: no list that lacks some.
CREATE FUNCTION peek() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM count(*) FROM public.kb_list(); RETURN NEW; END $$;
CREATE TRIGGER peek BEFORE INSERT ON kb_here.chunk FOR EACH ROW EXECUTE FUNCTION peek();
SELECT state, message FROM error_of($$SELECT kb_add('here', 'More.')$$);
SELECT kb_drop('here'), kb_drop('far'), kb_drop('away');
DROP FUNCTION peek;
DROP TABLE kb_rag.handle, kb_rag.placement;
SELECT name, node FROM kb_list();
