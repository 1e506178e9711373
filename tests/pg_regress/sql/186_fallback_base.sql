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
SELECT count(*) FROM kb_agent_list() WHERE agent_id = kb_agent('nobody');

DELETE FROM kb_rag.search_log;
SELECT kb_drop(name) FROM kb_list();
DROP OWNED BY kb_test186_app;
DROP ROLE kb_test186_app;
