-- The log of what agents searched for, and who may read it.
SET client_min_messages = warning;
CREATE ROLE kb_test183_owner;
CREATE ROLE kb_test183_agent;
CREATE ROLE kb_test183_reader IN ROLE pg_read_all_data;
SELECT kb_grant_admin('kb_test183_owner');
SET ROLE kb_test183_owner;
SELECT kb_create('pump') AS pump, kb_create('private') AS private \gset
SELECT kb_add('pump', 'The pump needs new oil every six months.', source_key => 'manuals/oil.pdf') AS oil, kb_add('private', 'The safe is behind the picture.') AS safe \gset
SELECT kb_grant('pump', 'kb_test183_agent', 'read');
SELECT kb_attach_agent(kb_agent('agt'), 'pump');
RESET ROLE;

-- Off by default, and only superusers turn it on.
SHOW kb_rag.log_searches;
SHOW kb_rag.log_retention;
SET ROLE kb_test183_agent;
SELECT kb_call_tool('search_pump', '{"query": "oil"}') IS NOT NULL AS called;
SET kb_rag.log_searches = on;
SET kb_rag.log_retention = 0;
RESET ROLE;
SELECT count(*) AS logged FROM kb_rag.search_log;
SET kb_rag.log_searches = on;

-- What a row says.
SET ROLE kb_test183_agent;
SELECT kb_call_tool('search_pump', '{"query": "How often does the pump need oil?"}', kb_agent('agt'), 'sess_1') IS NOT NULL AS called;
SELECT kb_call_tool('search_knowledge', '{"query": "oil", "limit": "many"}', session_id => 'sess_1') IS NOT NULL AS called;
SELECT kb_call_tool('search_knowledge', '{"query": "Hello, how are you?"}', session_id => 'sess_1') IS NOT NULL AS called;
SELECT kb_call_tool('read_knowledge', jsonb_build_object('id', :'oil'), session_id => 'sess_2')->'isError' AS is_error;
SELECT kb_snippets('[{"role": "user", "content": "Oil for the pump?"}]', agent_id => 'agt', session_id => 'sess_2') IS NOT NULL AS called;
SELECT kb_snippets('[]', session_id => 'sess_2') IS NOT NULL AS called;
SELECT kb_context('oil', 'pump') IS NOT NULL AS not_logged;
RESET ROLE;
SELECT role, replace(agent_id, kb_agent('agt')::text, '<agt>') AS agent_id, session_id, tool, knowledge_bases, replace(query, :'oil', '<oil>') AS query,
    jsonb_array_length(results) AS results, error, at BETWEEN now() - interval '1 minute' AND clock_timestamp() AS is_recent
FROM kb_rag.search_history ORDER BY at;
SELECT tool, r - ARRAY['score', 'similarity', 'chunk_id', 'document_id'] AS result, r->>'document_id' = :'oil' AS is_the_document FROM kb_rag.search_history h CROSS JOIN LATERAL jsonb_array_elements(h.results) r WHERE tool = 'read_knowledge';
SELECT jsonb_object_keys(milliseconds) AS step FROM kb_rag.search_history WHERE tool = 'search_pump';
SELECT r->>'source' AS source, r->>'content' AS content, (r->>'document_id')::uuid = :'oil' AS document_id, (r->>'chunk_id')::uuid = c.id AS chunk_id, (r->>'similarity')::float8 > 0.5 AS similarity, (r->>'score')::float8 > 0 AS score
FROM kb_rag.search_history h CROSS JOIN LATERAL jsonb_array_elements(h.results) r CROSS JOIN kb_pump.chunk c WHERE tool = 'search_pump';
SELECT count(*) FILTER (WHERE (milliseconds->>'total')::float8 >= (milliseconds->>'search')::float8 AND (milliseconds->>'search')::float8 >= 0 AND (milliseconds->>'embed')::float8 >= 0) AS plausible, count(*) FROM kb_rag.search_history;

-- Who sees it: administrators of all bases of a row, and whoever called.
SET ROLE kb_test183_owner;
SELECT kb_call_tool('search_private', '{"query": "Where is the safe?"}') IS NOT NULL AS called;
SELECT kb_call_tool('search_knowledge', '{"query": "safe"}') IS NOT NULL AS called;
SELECT tool, count(*) FROM kb_rag.search_history GROUP BY tool ORDER BY tool;
SET ROLE kb_test183_agent;
SELECT role, tool, count(*) FROM kb_rag.search_history GROUP BY role, tool ORDER BY tool;
-- The table itself is nobody's, and no function in a condition sees rows that the view hides.
SELECT state, message FROM error_of('SELECT * FROM kb_rag.search_log');
CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE WARNING 'saw %', $1; RETURN true; END $$;
SELECT count(*) FROM kb_rag.search_history WHERE pg_temp.leak(query) AND tool = 'search_private';
DROP FUNCTION pg_temp.leak;
SET ROLE kb_test183_reader;
SELECT count(*) AS rows_of_the_table FROM kb_rag.search_log;
SELECT count(*) AS rows_of_the_view FROM kb_rag.search_history;
RESET ROLE;
-- One's own rows hold nothing that row security hides by now.
CREATE POLICY nothing ON kb_pump.document USING (false);
ALTER TABLE kb_pump.document ENABLE ROW LEVEL SECURITY;
SET ROLE kb_test183_agent;
SELECT count(*) AS hidden FROM kb_rag.search_history WHERE knowledge_bases <> '{}';
-- Nor do those that an administrator sees.
RESET ROLE;
CREATE ROLE kb_test183_admin;
SELECT kb_grant('pump', 'kb_test183_admin', 'admin');
SET ROLE kb_test183_admin;
SELECT count(*) AS hidden FROM kb_rag.search_history;
RESET ROLE;
ALTER TABLE kb_pump.document DISABLE ROW LEVEL SECURITY;
SET ROLE kb_test183_admin;
SELECT count(*) > 0 AS seen FROM kb_rag.search_history;
RESET ROLE;
ALTER TABLE kb_pump.document ENABLE ROW LEVEL SECURITY;
SET ROLE kb_test183_owner;
SELECT count(*) > 0 AS seen_by_the_owner FROM kb_rag.search_history WHERE role = 'kb_test183_agent';
RESET ROLE;
ALTER TABLE kb_pump.document DISABLE ROW LEVEL SECURITY;

-- Any text may name a conversation, and what is kept of a query has a limit.
SELECT kb_call_tool('search_pump', '{"query": "oil"}', session_id => (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) n)) IS NOT NULL AS called;
SELECT length(session_id) AS session_id FROM kb_rag.search_history WHERE length(session_id) > 1000;
SELECT kb_call_tool('search_pump', jsonb_build_object('query', repeat('é', 100000)), session_id => 'long') IS NOT NULL AS called;
SELECT octet_length(query) AS query FROM kb_rag.search_history WHERE session_id = 'long';

-- A call that fails writes nothing, nor does one in a transaction that may not write.
SELECT count(*) AS before FROM kb_rag.search_log \gset
SELECT state FROM error_of($$SELECT kb_call_tool('search_nothing', '{"query": "oil"}')$$);
BEGIN READ ONLY;
SELECT kb_call_tool('search_pump', '{"query": "oil"}')->'isError' AS is_error, jsonb_array_length(kb_snippets('[{"role": "user", "content": "oil"}]', agent_id => :'pump')) AS snippets;
COMMIT;
BEGIN;
SELECT kb_call_tool('search_pump', '{"query": "oil"}')->'isError' AS is_error;
ROLLBACK;
SELECT count(*) - :before AS more FROM kb_rag.search_log;

-- Rows expire with the next call that is logged.
UPDATE kb_rag.search_log SET at = at - interval '91 days' WHERE tool = 'kb_snippets';
SELECT count(*) AS old FROM kb_rag.search_log WHERE at < now() - interval '90 days';
SET kb_rag.log_retention = -1;
SELECT kb_call_tool('search_pump', '{"query": "oil"}') IS NOT NULL AS called;
SELECT count(*) AS kept FROM kb_rag.search_log WHERE at < now() - interval '90 days';
SET kb_rag.log_retention = '90d';
SELECT kb_call_tool('search_pump', '{"query": "oil"}') IS NOT NULL AS called;
SELECT count(*) AS old, (SELECT count(*) > 0 FROM kb_rag.search_log) AS others FROM kb_rag.search_log WHERE at < now() - interval '90 days';
RESET kb_rag.log_retention;

-- A renamed base keeps its rows; a dropped one takes its own, and those it shares, along.
SELECT kb_rename('private', 'secret');
SELECT DISTINCT unnest(knowledge_bases) AS base FROM kb_rag.search_history ORDER BY 1;
SELECT kb_drop('secret');
SELECT DISTINCT knowledge_bases FROM kb_rag.search_history;
SELECT kb_drop('pump');
SELECT count(*) AS left_over FROM kb_rag.search_log WHERE knowledge_bases <> '{}';

DELETE FROM kb_rag.search_log;
RESET kb_rag.log_searches;
SELECT kb_revoke_admin('kb_test183_owner');
DROP ROLE kb_test183_owner, kb_test183_admin, kb_test183_agent, kb_test183_reader;
