-- kb_snippets with fallback_base: for agents to which no base is attached.
SET client_min_messages = notice;
SELECT kb_create('faq', match_threshold => -1) AS faq, kb_create('cars', match_threshold => -1) AS cars \gset
SELECT count(kb_add(kb, text)) FROM (VALUES
    ('faq', 'Every car has room for one suitcase.'),
    ('cars', 'The small car has room for two suitcases.')) t (kb, text);
SELECT kb_attach_agent(kb_agent('agt_cars'), 'cars');
\set conversation '[{"role": "user", "content": "How many suitcases?"}]'

-- A notice each time, since a program may log it.
SELECT kb_snippets(:'conversation', agent_id => 'nobody', fallback_base => 'faq') FROM generate_series(1, 2);
-- The agent has a base, is a base, or is none.
SELECT kb_snippets(:'conversation', agent_id => 'agt_cars', fallback_base => 'faq') AS of_an_agent,
    kb_snippets(:'conversation', agent_id => :'cars', fallback_base => 'faq') AS of_a_base,
    jsonb_array_length(kb_snippets(:'conversation', fallback_base => 'faq')) AS of_the_caller;
SELECT kb_snippets(:'conversation', agent_id => 'nobody', fallback_base => NULL) AS without;
-- The same one by its uuid.
SELECT kb_snippets(:'conversation', 1, kb_agent('nobody')::text, 's', 'faq');
SELECT kb_snippets(:'conversation', agent_id => 'nobody', fallback_base => 'nowhere');
SELECT kb_snippets(:'conversation', agent_id => ' ', fallback_base => 'faq');

-- With the privileges of the caller, and not for an agent whose base it may not read.
CREATE ROLE kb_test186_app;
SET ROLE kb_test186_app;
SELECT kb_snippets(:'conversation', agent_id => 'nobody', fallback_base => 'faq');
RESET ROLE;
SELECT kb_grant('faq', 'kb_test186_app', 'read');
SET ROLE kb_test186_app;
SELECT kb_snippets(:'conversation', agent_id => 'nobody', fallback_base => 'faq');
SELECT kb_snippets(:'conversation', agent_id => 'agt_cars', fallback_base => 'faq');
RESET ROLE;

-- The log has the agent and the base.
SET kb_rag.log_searches = on;
SELECT kb_snippets(:'conversation', agent_id => 'nobody', fallback_base => 'faq') IS NOT NULL AS called;
SELECT kb_snippets(:'conversation', agent_id => 'nobody', fallback_base => 'nowhere') IS NOT NULL AS called;
SELECT agent_id, knowledge_bases, query, jsonb_array_length(results) AS results, error FROM kb_rag.search_history ORDER BY at;

-- Nothing is attached to the agent, so it is shown apart, to administrators of the base that it was answered from.
SELECT count(*) FROM kb_agent_list() WHERE agent_id = kb_agent('nobody');
SELECT a.agent_id = kb_agent('nobody') AS nobody, a.knowledge_base, a.filter, a.use_knowledge_base, a.name, a.asked_at <= now() AS asked FROM kb_agent_list(unattached => true) a;
SELECT count(*) FROM kb_agent_list('faq', true);
SELECT count(*) FROM kb_agent_list('faq', NULL);
SELECT count(*) FROM kb_agent_list('cars', true);
SET ROLE kb_test186_app;
SELECT count(*) FROM kb_agent_list(unattached => true);
SELECT state, message FROM error_of($$SELECT * FROM kb_agent_list('faq', true)$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_agent_list('cars', true)$$);
RESET ROLE;
-- Once an hour each, and not more than so many; older ones make room.
SET client_min_messages = warning;
SET kb_rag.test_limits = 'unattached_agents=3';
SELECT count(kb_snippets(:'conversation', agent_id => 'a' || n, fallback_base => 'faq')) FROM generate_series(1, 5) n, generate_series(1, 2);
SELECT name, (SELECT count(*) FROM kb_rag.unattached_agent u WHERE u.agent_id = l.agent_id) AS noted FROM kb_agent_list('faq', true) l ORDER BY name;
UPDATE kb_rag.unattached_agent SET asked_at = now() - interval '2 hours' + random() * interval '1 second';
SELECT count(kb_snippets(:'conversation', agent_id => 'a' || n, fallback_base => 'faq')) FROM generate_series(2, 4) n;
SELECT name, (SELECT count(*) FROM kb_rag.unattached_agent u WHERE u.agent_id = l.agent_id) AS noted FROM kb_agent_list('faq', true) l ORDER BY name;
RESET kb_rag.test_limits;
-- Not where nothing may be written, or where the snapshot is old; a long name is cut.
BEGIN READ ONLY;
SELECT jsonb_array_length(kb_snippets(:'conversation', agent_id => 'read only', fallback_base => 'faq'));
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT jsonb_array_length(kb_snippets(:'conversation', agent_id => 'repeatable', fallback_base => 'faq'));
COMMIT;
SELECT jsonb_array_length(kb_snippets(:'conversation', agent_id => repeat('é', 1000), fallback_base => 'faq'));
SELECT max(length(name)), count(*) FILTER (WHERE name LIKE 're%') AS unwritten FROM kb_agent_list(unattached => true);
-- One that is attached is shown as such; kb_agent_drop forgets an agent.
SELECT kb_attach_agent(kb_agent('a2'), 'cars'), kb_agent_drop(kb_agent('a3'));
SELECT name FROM kb_agent_list('faq', true) WHERE name LIKE 'a_' ORDER BY name;
SELECT knowledge_base, name FROM kb_agent_list() WHERE agent_id = kb_agent('a2');
SET client_min_messages = notice;

DELETE FROM kb_rag.search_log;
SELECT kb_drop(name) FROM kb_list();
SELECT count(*) FROM kb_rag.unattached_agent;
DROP OWNED BY kb_test186_app;
DROP ROLE kb_test186_app;
