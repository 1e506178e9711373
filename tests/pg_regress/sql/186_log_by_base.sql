-- The setting log_searches of a base: searches that cover only such bases are logged while kb_rag.log_searches is off.
SET client_min_messages = warning;
CREATE ROLE kb_test186_owner;
CREATE ROLE kb_test186_admin;
CREATE ROLE kb_test186_reader;
SELECT kb_grant_admin('kb_test186_owner');
SET ROLE kb_test186_owner;
SELECT kb_create('pump', log_searches => true) AS pump, kb_create('garden') AS garden \gset
SELECT kb_add('pump', 'The pump needs new oil every six months.') AS oil, kb_add('garden', 'Roses need water.') AS roses \gset
SELECT kb_grant(base, 'kb_test186_reader', 'read'), kb_grant(base, 'kb_test186_admin', 'admin') FROM unnest('{pump,garden}'::text[]) base;
SELECT kb_attach_agent(kb_agent('plumber'), 'pump'), kb_attach_agent(kb_agent('both'), 'pump'), kb_attach_agent(kb_agent('both'), 'garden');

-- Readers, whose searches are logged, see the setting.
SET ROLE kb_test186_reader;
SHOW kb_rag.log_searches;
SELECT name, log_searches FROM kb_list() ORDER BY name;
SET ROLE kb_test186_owner;
SELECT value FROM kb_pump.setting WHERE name = 'log_searches';
SET ROLE kb_test186_reader;

-- Logged are calls that cover only bases with the setting.
CREATE FUNCTION pg_temp.ask(session text, tool text DEFAULT 'search_knowledge', arguments jsonb DEFAULT '{"query": "oil"}', agent text DEFAULT NULL) RETURNS boolean LANGUAGE sql AS $$
    SELECT (kb_call_tool(tool, arguments, CASE WHEN agent IS NOT NULL THEN kb_agent(agent) END, session)->>'isError')::boolean $$;
SELECT pg_temp.ask('named', 'search_pump') AS named, pg_temp.ask('agent', agent => 'plumber') AS agent,
    pg_temp.ask('chosen', arguments => '{"query": "oil", "knowledge_base": "pump"}') AS chosen, pg_temp.ask('mistake', 'search_pump', '{"query": "oil", "limit": "many"}') AS mistake,
    pg_temp.ask('read', 'read_knowledge', jsonb_build_object('id', :'oil'), 'plumber') AS read,
    jsonb_array_length(kb_snippets('[{"role": "user", "content": "oil"}]', agent_id => 'plumber', session_id => 'snippets')) AS snippets;
SELECT pg_temp.ask('other base', 'search_garden') AS named, pg_temp.ask('both') AS both, pg_temp.ask('agent of both', agent => 'both') AS agent,
    pg_temp.ask('other chosen', arguments => '{"query": "oil", "knowledge_base": "garden"}') AS chosen, pg_temp.ask('unknown chosen', arguments => '{"query": "oil", "knowledge_base": "x"}') AS unknown,
    kb_snippets('[{"role": "user", "content": "oil"}]', session_id => 'snippets of both') IS NOT NULL AS snippets,
    kb_snippets('[{"role": "user", "content": "oil"}]', agent_id => 'nobody', session_id => 'snippets of none') AS nothing;
SELECT session_id, tool, knowledge_bases, query, jsonb_array_length(results) AS results, error FROM kb_rag.search_history WHERE tool <> 'read_knowledge' ORDER BY at;
SELECT tool, knowledge_bases, jsonb_array_length(results) AS results FROM kb_rag.search_history WHERE tool = 'read_knowledge';
RESET ROLE;
SELECT count(*) AS all_rows FROM kb_rag.search_log;

-- Administrators see the rows, as ever, and others but the role that called do not.
SET ROLE kb_test186_admin;
SELECT count(*) FROM kb_rag.search_history;
SET ROLE kb_test186_owner;
SELECT count(*) FROM kb_rag.search_history;
RESET ROLE;
CREATE ROLE kb_test186_other;
SELECT kb_grant('pump', 'kb_test186_other', 'read');
SET ROLE kb_test186_other;
SELECT count(*) FROM kb_rag.search_history;

-- A denial leaves no row.
RESET ROLE;
SELECT kb_revoke('pump', 'kb_test186_other', 'read');
SET ROLE kb_test186_other;
SELECT state, message FROM error_of($$SELECT kb_call_tool('search_knowledge', '{"query": "oil"}', kb_agent('plumber'))$$);
SELECT kb_snippets('[{"role": "user", "content": "oil"}]', agent_id => 'plumber', session_id => 'denied') AS nothing;
RESET ROLE;
SELECT count(*) AS of_the_denied FROM kb_rag.search_log WHERE role = 'kb_test186_other';

-- The owner alone decides about it; administrators change the other settings.
SET ROLE kb_test186_admin;
SELECT * FROM error_of($$SELECT kb_configure('garden', log_searches => true)$$);
SELECT state FROM error_of($$SELECT kb_configure('pump', log_searches => false)$$);
SELECT kb_configure('garden', log_searches => false, description => 'Plants');
SELECT name, log_searches, description FROM kb_list() ORDER BY name;
SET ROLE kb_test186_reader;
SELECT state FROM error_of($$SELECT kb_configure('garden', log_searches => true)$$);
SET ROLE kb_test186_owner;
SELECT kb_configure('garden', log_searches => true), kb_configure('pump', log_searches => NULL);
SET ROLE kb_test186_reader;
SELECT pg_temp.ask('both now') AS both, pg_temp.ask('agent of both now', agent => 'both') AS agent;
SELECT session_id, knowledge_bases FROM kb_rag.search_history WHERE session_id LIKE '% now' ORDER BY at;
SET ROLE kb_test186_owner;
SELECT kb_configure(name, log_searches => false) FROM kb_list();
SET ROLE kb_test186_reader;
SELECT pg_temp.ask('off', 'search_pump') AS is_error;
SELECT count(*) AS off FROM kb_rag.search_history WHERE session_id = 'off';

-- kb_search leaves no row, since it is STABLE; kb_rag.logged_search leaves one with what it gave.
SET ROLE kb_test186_owner;
SELECT kb_configure('pump', log_searches => true);
SELECT kb_add('pump', 'The oil of the pump is in the cellar.') IS NOT NULL AS added;
SET ROLE kb_test186_reader;
SELECT count(*) AS kb_search FROM kb_search('oil of the pump', 'pump');
SELECT content FROM kb_rag.logged_search('oil of the pump', 'pump', 'keyword', session_id => 'logged');
SELECT content FROM kb_rag.logged_search('oil of the pump', agent_id => kb_agent('plumber'), mode => 'keyword', match_count => 1, match_offset => 1, session_id => 'page');
SELECT count(*) AS other FROM kb_rag.logged_search('roses', 'garden', session_id => 'other base');
SELECT count(*) > 0 AS both FROM kb_rag.logged_search('oil', knowledge_bases => '{garden,pump}', session_id => 'other bases');
SELECT count(*) > 0 AS whole_circle FROM kb_rag.logged_search('oil', session_id => 'circle');
SELECT state, message FROM error_of($$SELECT kb_rag.logged_search('oil', 'pump', match_count => 0, session_id => 'wrong')$$);
SELECT state, message FROM error_of($$SELECT kb_rag.logged_search(NULL, 'pump', session_id => 'wrong')$$);
SELECT session_id, tool, query, knowledge_bases, agent_id = kb_agent('plumber')::text AS agent, (SELECT jsonb_agg(r->'content') FROM jsonb_array_elements(results) r) AS results
FROM kb_rag.search_history WHERE tool = 'kb_search' ORDER BY at;
-- The rows of kb_search, and the defaults.
SELECT count(*) AS different FROM (SELECT * FROM kb_search('oil pump', 'pump') EXCEPT SELECT * FROM kb_rag.logged_search('oil pump', 'pump')) d;
SELECT count(*) AS different FROM (SELECT * FROM kb_rag.logged_search('oil pump', 'pump', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
    EXCEPT SELECT * FROM kb_rag.logged_search('oil pump', 'pump')) d;
BEGIN READ ONLY;
SELECT count(*) > 0 AS found FROM kb_rag.logged_search('oil', 'pump', session_id => 'read only');
COMMIT;
SET ROLE kb_test186_other;
SELECT state, message FROM error_of($$SELECT kb_rag.logged_search('oil', 'pump', session_id => 'denied')$$);
SELECT state, message FROM error_of($$SELECT kb_rag.logged_search('oil', agent_id => kb_agent('plumber'), session_id => 'denied')$$);
RESET ROLE;
SELECT count(*) AS not_logged FROM kb_rag.search_log WHERE session_id IN ('read only', 'denied', 'wrong', 'other base', 'other bases', 'circle');

-- A base that exists is not given the setting.
SET ROLE kb_test186_owner;
SELECT kb_configure('pump', log_searches => false);
SET client_min_messages = notice;
SELECT kb_create('pump', log_searches => true, if_not_exists => true) = :'pump' AS same;
SET client_min_messages = warning;

-- What expired goes with the next call that is logged.
SELECT kb_configure('pump', log_searches => true);
RESET ROLE;
UPDATE kb_rag.search_log SET at = at - interval '91 days';
SET ROLE kb_test186_reader;
SELECT pg_temp.ask('last', 'search_pump') AS called;
RESET ROLE;
SELECT session_id FROM kb_rag.search_log;

SET ROLE kb_test186_owner;
SELECT kb_drop(name) FROM kb_list();
RESET ROLE;
SELECT count(*) AS left_over FROM kb_rag.search_log;
DROP FUNCTION pg_temp.ask;
SELECT kb_revoke_admin('kb_test186_owner');
DROP ROLE kb_test186_owner, kb_test186_admin, kb_test186_reader, kb_test186_other;
