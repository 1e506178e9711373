-- kb_agent_configure: an agent that does not use its knowledge bases finds nothing in them. Other agents are not touched.
SET client_min_messages = warning;
CREATE ROLE kb_test187_owner;
CREATE ROLE kb_test187_other;
CREATE ROLE kb_test187_reader;
SELECT kb_grant_admin('kb_test187_owner'), kb_grant_admin('kb_test187_other');
SET ROLE kb_test187_other;
SELECT kb_create('others', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SET ROLE kb_test187_owner;
SELECT kb_create('site', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('site', 'Bread is baked at six.', metadata => jsonb_build_object('agent_id', kb_agent(name))) AS doc FROM unnest('{baker,miller}'::text[]) name \gset
SELECT kb_attach_agent(kb_agent(name), 'site', jsonb_build_object('agent_id', kb_agent(name))) FROM unnest('{baker,miller}'::text[]) name;
SELECT kb_grant('site', 'kb_test187_reader', 'read');
RESET ROLE;

-- Whatever searches for the agent; each finds something before.
CREATE FUNCTION found(agent text) RETURNS TABLE (search text, result text) LANGUAGE sql AS $$
    SELECT 'kb_search', (SELECT count(*)::text FROM kb_search('bread', agent_id => kb_agent(agent), mode => 'keyword'))
    UNION ALL SELECT 'with its base', (SELECT count(*)::text FROM kb_search('bread', 'site', agent_id => kb_agent(agent), mode => 'keyword'))
    UNION ALL SELECT 'kb_hybrid_search', (SELECT count(*)::text FROM kb_hybrid_search('bread', agent_id => kb_agent(agent)))
    UNION ALL SELECT 'kb_search_documents', (SELECT count(*)::text FROM kb_search_documents('bread', agent_id => kb_agent(agent)))
    UNION ALL SELECT 'match_knowledge_chunks', (SELECT count(*)::text FROM match_knowledge_chunks(kb_agent(agent), kb_embed('bread', 'fake/test', 8), 5, -1))
    UNION ALL SELECT 'kb_context', (kb_context('bread', agent_id => kb_agent(agent), match_threshold => -1) IS NOT NULL)::text
    UNION ALL SELECT 'kb_snippets', jsonb_array_length(kb_snippets('[{"role": "user", "content": "When is bread baked?"}]', agent_id => agent))::text
    UNION ALL SELECT 'kb_tools', jsonb_array_length(kb_tools(kb_agent(agent)))::text
    UNION ALL SELECT 'kb_tools_config', jsonb_array_length(kb_tools_config('json', agent_id => kb_agent(agent))::jsonb)::text
    UNION ALL SELECT 'search_site', jsonb_array_length(kb_call_tool('search_site', '{"query": "bread"}', kb_agent(agent))->'sources')::text
    UNION ALL SELECT 'search_knowledge', jsonb_array_length(kb_call_tool('search_knowledge', '{"query": "bread", "knowledge_base": "site"}', kb_agent(agent))->'sources')::text
    UNION ALL SELECT 'search_knowledge of all', jsonb_array_length(kb_call_tool('search_knowledge', '{"query": "bread"}', kb_agent(agent))->'sources')::text
    UNION ALL SELECT 'read_knowledge', kb_call_tool('read_knowledge', jsonb_build_object('id', (SELECT d.id FROM kb_site.document d LIMIT 1)), kb_agent(agent))->>'isError'
    UNION ALL SELECT 'kb_rag.logged_search', (SELECT count(*)::text FROM kb_rag.logged_search('bread', agent_id => kb_agent(agent), mode => 'keyword'))
$$;
SELECT kb_configure('site', match_threshold => -0.99);
SET ROLE kb_test187_reader;
SELECT * FROM found('baker');
SET ROLE kb_test187_owner;
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => false);
SELECT agent_id = kb_agent('baker') AS baker, knowledge_base, use_knowledge_base FROM kb_agent_list() ORDER BY baker DESC;
SET ROLE kb_test187_reader;
SELECT a.search, a.result AS baker, b.result AS miller FROM found('baker') a JOIN found('miller') b USING (search);
-- The base itself is not touched, and neither is its id as an agent.
SELECT count(*) AS all_rows FROM kb_search('bread', 'site', 'keyword');
SELECT count(*) AS by_id FROM kb_search('bread', agent_id => (SELECT id FROM kb_list() WHERE name = 'site'), mode => 'keyword');
SET client_min_messages = notice;
\set VERBOSITY default
SELECT count(*) FROM kb_search('bread', agent_id => kb_agent('baker'));
SELECT count(*) AS once FROM kb_search('bread', agent_id => kb_agent('baker'));
SET client_min_messages = warning;
-- It may still not be searched by a role without the privilege.
SET ROLE kb_test187_other;
SELECT state, message FROM error_of($$SELECT kb_search('bread', agent_id => kb_agent('baker'))$$);
SELECT state, message FROM error_of($$SELECT kb_call_tool('search_site', '{"query": "bread"}', kb_agent('baker'))$$);

-- Rights: those of attaching a further base.
SELECT * FROM error_of($$SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => true)$$);
SET ROLE kb_test187_reader;
SELECT state FROM error_of($$SELECT kb_agent_configure(kb_agent('miller'), use_knowledge_base => false)$$);
SELECT state FROM error_of($$SELECT kb_agent_configure(kb_agent('miller'))$$);
SET ROLE kb_test187_owner;
SELECT * FROM error_of($$SELECT kb_agent_configure('a0000000-0000-0000-0000-000000000001', use_knowledge_base => false)$$);
SELECT state, message FROM error_of(format('SELECT kb_agent_configure(%L, use_knowledge_base => false)', (SELECT id FROM kb_list() WHERE name = 'site'))) WHERE message !~ 'is the id of a knowledge base';
SELECT state, message FROM error_of($$SELECT kb_agent_configure(NULL, use_knowledge_base => false)$$);
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => NULL), kb_agent_configure(kb_agent('baker'));
SELECT count(*) FILTER (WHERE NOT use_knowledge_base) AS idle FROM kb_agent_list();
-- An administrator of another base, once it is attached.
SELECT kb_grant('site', 'kb_test187_other', 'admin');
SET ROLE kb_test187_other;
SELECT kb_attach_agent(kb_agent('baker'), 'others');
SET ROLE kb_test187_owner;
SELECT kb_revoke('site', 'kb_test187_other', 'read');
SET ROLE kb_test187_other;
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => true);
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => false);
SELECT kb_detach_agent(kb_agent('baker'), 'others');
SET ROLE kb_test187_owner;
SELECT knowledge_base, use_knowledge_base FROM kb_agent_list() WHERE agent_id = kb_agent('baker');
-- Attached again with another filter, it stays as it is. The last base that is detached takes the setting along.
SELECT kb_attach_agent(kb_agent('baker'), 'site');
SELECT use_knowledge_base FROM kb_agent_list() WHERE agent_id = kb_agent('baker');
SELECT kb_agent_configure(kb_agent('miller'), use_knowledge_base => true);
SELECT kb_detach_agent(kb_agent('baker'), 'site');
SELECT kb_attach_agent(kb_agent('baker'), 'site');
SELECT count(*) FILTER (WHERE NOT use_knowledge_base) AS idle FROM kb_agent_list();
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => false);
SELECT kb_agent_drop(kb_agent('baker'));
SELECT kb_agent_configure(kb_agent('miller'), use_knowledge_base => false);
SELECT kb_drop('site');
RESET ROLE;
SELECT count(*) AS left_over FROM kb_rag.agent;

-- Work that workers would do waits, and goes on; other work does not wait. Without workers, CALL kb_work() does it.
SET kb_rag.workers = 0;
SELECT kb_create('queue', model => 'fake/test', dimensions => 8, embed => 'queued') IS NOT NULL AS created;
SELECT kb_attach_agent(kb_agent(name), 'queue', jsonb_build_object('agent_id', kb_agent(name))) FROM unnest('{baker,miller}'::text[]) name;
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => false);
INSERT INTO kb_queue.document (title, content, metadata)
SELECT name || ' ' || n, 'Bread number ' || n, jsonb_build_object('agent_id', kb_agent(name)) FROM unnest('{baker,miller}'::text[]) name, generate_series(1, 150) n;
INSERT INTO kb_queue.document (title, content) VALUES ('nobody''s', 'Bread for all.');
CALL kb_work(10);
CREATE FUNCTION embedded() RETURNS TABLE (whose text, chunks int8, vectors int8) LANGUAGE plpgsql AS $$ BEGIN
    RETURN QUERY SELECT split_part(d.title, ' ', 1), count(*), count(e.chunk_id)
    FROM kb_queue.document d JOIN kb_queue.chunk c ON c.document_id = d.id LEFT JOIN kb_queue.embedding e ON e.chunk_id = c.id GROUP BY 1 ORDER BY 1;
END $$;
SELECT * FROM embedded();
SELECT count(*) AS jobs FROM kb_rag.job;
SELECT kind, count(*), bool_and(agent_id = kb_agent('baker')) AS of_the_baker FROM kb_rag.held_job GROUP BY kind;
BEGIN;
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => true);
SELECT count(*) AS jobs, (SELECT count(*) FROM kb_rag.held_job) AS held FROM kb_rag.job;
ROLLBACK;
CALL kb_work(10);
SELECT * FROM embedded();
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => true);
CALL kb_work(10);
SELECT * FROM embedded();
SELECT count(*) AS jobs, (SELECT count(*) FROM kb_rag.held_job) AS held FROM kb_rag.job;

-- A base that is detached waits for the agent no more; one that is dropped takes along what waits.
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => false);
INSERT INTO kb_queue.document (title, content, metadata) VALUES ('more', 'More bread', jsonb_build_object('agent_id', kb_agent('baker')));
CALL kb_work(10);
SELECT count(*) AS held FROM kb_rag.held_job;
SELECT kb_detach_agent(kb_agent('baker'), 'queue');
CALL kb_work(10);
SELECT * FROM embedded() WHERE whose = 'more';
SELECT kb_attach_agent(kb_agent('baker'), 'queue');
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => false);
INSERT INTO kb_queue.document (title, content, metadata) VALUES ('last', 'The last bread', jsonb_build_object('agent_id', kb_agent('baker')));
CALL kb_work(10);
SELECT count(*) AS held FROM kb_rag.held_job;
-- A pending model needs the vectors of all documents.
SELECT kb_configure('queue', model => 'fake/other');
CALL kb_work(10);
SELECT model FROM kb_list() WHERE name = 'queue';
SELECT * FROM embedded() WHERE whose = 'last';
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => true);
CALL kb_work(10);
SELECT count(*) AS jobs, (SELECT count(*) FROM kb_rag.held_job) AS held FROM kb_rag.job;
SELECT kb_agent_configure(kb_agent('baker'), use_knowledge_base => false);
INSERT INTO kb_queue.document (title, content, metadata) VALUES ('gone', 'Bread that is gone', jsonb_build_object('agent_id', kb_agent('baker')));
CALL kb_work(10);
SELECT count(*) AS held FROM kb_rag.held_job;
SELECT kb_drop('queue');
DROP FUNCTION embedded;
SELECT (SELECT count(*) FROM kb_rag.held_job) AS held, (SELECT count(*) FROM kb_rag.job) AS jobs, (SELECT count(*) FROM kb_rag.agent) AS agents;

DROP FUNCTION found;
SET ROLE kb_test187_other;
SELECT kb_drop('others');
RESET ROLE;
SELECT kb_revoke_admin('kb_test187_owner'), kb_revoke_admin('kb_test187_other');
DROP ROLE kb_test187_owner, kb_test187_other, kb_test187_reader;
