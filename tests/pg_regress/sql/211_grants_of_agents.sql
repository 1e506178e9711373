-- kb_provider_grant for one agent, and without auto_sync: which URLs a role may have fetched.
SET client_min_messages = notice;
CREATE ROLE kb_test211_app;
CREATE ROLE kb_test211_member IN ROLE kb_test211_app;
SELECT kb_create('sites', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_provider_set('crawler', kind => 'firecrawl', base_url => 'http://127.0.0.1:9');
SELECT kb_provider_set('embedder', kind => 'openai', base_url => 'http://127.0.0.1:9');
SELECT kb_grant('sites', 'kb_test211_app', 'write');
-- Whether the role may add a URL: for an agent or none, by a method, once or again and again.
CREATE FUNCTION allowed(role_name name) RETURNS TABLE (who text, method text, once text, synced text) LANGUAGE plpgsql AS $$
DECLARE
    found record;
BEGIN
    EXECUTE format('SET ROLE %I', role_name);
    FOR found IN SELECT a, m, array_agg((SELECT e.state FROM error_of(format('SELECT kb_add_url(''sites'', %L, scrape_method => %L, auto_sync => %L, agent_id => %L)',
            'https://example.com/' || s, m, s, CASE WHEN a <> 'none' THEN kb_agent(a) END)) e) ORDER BY s) AS states
        FROM unnest('{none,official,regular}'::text[]) a, unnest('{basic,crawler}'::text[]) m, unnest('{false,true}'::bool[]) s GROUP BY a, m ORDER BY a, m LOOP
        who := found.a; method := found.m; once := found.states[1]; synced := found.states[2];
        RETURN NEXT;
    END LOOP;
    RESET ROLE;
END
$$;
SELECT * FROM allowed('kb_test211_app') WHERE '00000' IN (once, synced);
-- All agents may have pages fetched once; the official one also again and again, and by the crawler.
SELECT kb_provider_grant('web', 'kb_test211_app', auto_sync => false);
SELECT kb_provider_grant('web', 'kb_test211_app', agent_id => kb_agent('official')), kb_provider_grant('crawler', 'kb_test211_app', kb_agent('official'));
SELECT * FROM allowed('kb_test211_app');
SELECT * FROM allowed('kb_test211_member') EXCEPT SELECT * FROM allowed('kb_test211_app');
-- A refusal names the call.
SET ROLE kb_test211_app;
SELECT * FROM error_of($$SELECT kb_add_url('sites', 'https://example.com/b', auto_sync => true, agent_id => kb_agent('regular'))$$) \gx
SELECT * FROM error_of($$SELECT kb_add_url('sites', 'https://example.com/b', scrape_method => 'crawler', agent_id => kb_agent('regular'))$$) \gx
SELECT * FROM error_of($$SELECT kb_add_url('sites', 'https://example.com/b', scrape_method => 'crawler')$$) \gx
-- Grants within limits are listed, and cover nothing else.
SELECT name, granted FROM kb_provider_list() WHERE name IN ('crawler', 'web', 'embedder') ORDER BY name;
SELECT state, message FROM error_of($$SELECT kb_provider_grant('crawler', 'kb_test211_app')$$);
RESET ROLE;
-- A source of an agent whose grant goes is synced no more, and nor is that of another method.
SET ROLE kb_test211_app;
SELECT count(*) AS sources, count(*) FILTER (WHERE auto_sync) AS synced FROM kb_source_list();
SELECT DISTINCT state FROM kb_source_list() s, error_of(format('SELECT kb_source_sync(%L)', s.source_id));
RESET ROLE;
SELECT kb_provider_revoke('web', 'kb_test211_app', kb_agent('official'));
SET ROLE kb_test211_app;
SELECT s.location, s.scrape_method, e.state FROM kb_source_list(agent_id => kb_agent('official')) s, error_of(format('SELECT kb_source_sync(%L)', s.source_id)) e ORDER BY 1, 2;
RESET ROLE;
-- A grant of everything takes their place, and so does one without auto_sync of it.
SELECT kb_provider_grant('crawler', 'kb_test211_app');
SELECT provider, role, agent_id, auto_sync FROM kb_rag.limited_grant;
SELECT kb_provider_grant('crawler', 'kb_test211_app', kb_agent('official'));
SELECT kb_provider_revoke('crawler', 'kb_test211_app', kb_agent('other'));
SELECT * FROM allowed('kb_test211_app') WHERE method = 'crawler';
SELECT kb_provider_grant('crawler', 'kb_test211_app', auto_sync => false), kb_provider_grant('crawler', 'kb_test211_app', auto_sync => false);
SELECT * FROM allowed('kb_test211_app') WHERE method = 'crawler';
-- Without an agent everything is revoked.
SELECT kb_provider_revoke('crawler', 'kb_test211_app');
SELECT * FROM allowed('kb_test211_app') WHERE '00000' IN (once, synced);
-- For everybody.
SELECT kb_provider_grant('crawler', 'public', kb_agent('regular'), true);
SELECT * FROM allowed('kb_test211_app') WHERE method = 'crawler' AND '00000' IN (once, synced);
-- Grants go with their provider.
SELECT kb_provider_drop('crawler');
SELECT provider, auto_sync FROM kb_rag.limited_grant;
-- Mistakes.
SELECT * FROM error_of($$SELECT kb_provider_grant('embedder', 'kb_test211_app', kb_agent('official'))$$) \gx
SELECT state, message FROM error_of($$SELECT kb_provider_grant('embedder', 'kb_test211_app', auto_sync => false)$$);
SELECT state, message FROM error_of($$SELECT kb_provider_grant('web', 'no_such_role', kb_agent('official'))$$);
SELECT state, message FROM error_of($$SELECT kb_provider_revoke('none', 'kb_test211_app', kb_agent('official'))$$);
SELECT kb_provider_revoke('web', 'kb_test211_app'), kb_provider_drop('embedder'), kb_drop('sites');
DROP FUNCTION allowed;
DROP OWNED BY kb_test211_app, kb_test211_member;
DROP ROLE kb_test211_app, kb_test211_member;
