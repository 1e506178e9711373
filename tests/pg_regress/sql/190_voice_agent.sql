-- An application as its authors would write it: voice agents consult bases of files during a call, by one tool,
-- search_knowledge, over exactly the attached bases. Every call of the tool is on the transcript.
SET client_min_messages = warning;
CREATE ROLE kb_regress_voice;
SELECT kb_grant_admin('kb_regress_voice');
SET ROLE kb_regress_voice;
-- Windows of 1,000 characters that overlap by 200, vectors of 1,536 dimensions, an IVFFlat index, as before.
SELECT kb_create('Product manuals', model => 'fake/text-embedding-3-large', dimensions => 1536, chunk_size => 1000, chunk_overlap => 200, index_method => 'ivfflat') AS manuals,
    kb_create('Billing policies', model => 'fake/text-embedding-3-large', dimensions => 1536, index_method => 'ivfflat') AS policies,
    kb_create('Salaries', model => 'fake/text-embedding-3-large', dimensions => 1536) AS salaries \gset
SELECT kb_add('Product manuals', 'Hold the red button for five seconds to reset the coffee machine. The lamp blinks twice.', title => 'Coffee machine', source_key => 'uploads/coffee-machine.pdf', mime_type => 'application/pdf') AS coffee \gset
SELECT count(kb_add(kb, text, source_key => file)) FROM (VALUES
    ('Product manuals', 'Clean the filter of the vacuum cleaner once a month.', 'uploads/vacuum.md'),
    ('Billing policies', 'Refunds for a coffee machine are paid within ten days.', 'uploads/refunds.html'),
    ('Salaries', 'The engineer of the coffee machine earns a lot.', 'uploads/salaries.pdf')) d (kb, text, file);
SELECT kb_attach_agent(kb_agent('agent-7'), kb) FROM unnest('{Product manuals,Billing policies}'::text[]) kb;
-- The sessions of the application log: a superuser has set it for the role.
RESET ROLE;
SET kb_rag.log_searches = on;
SET ROLE kb_regress_voice;

-- The tool is registered for the agent by itself, and there is none for one without bases.
SELECT jsonb_path_exists(kb_tools(kb_agent('agent-7'), 'openai'), '$[*].function ? (@.name == "search_knowledge")') AS is_registered, kb_tools(kb_agent('agent-8'), 'openai') AS without_bases;
-- During the call: file names and scores, best first, from both bases and from no other.
CREATE TEMP TABLE transcript (n serial, role text, content text);
INSERT INTO transcript (role, content) VALUES ('user', 'My coffee machine does not start.');
INSERT INTO transcript (role, content)
SELECT 'tool', jsonb_build_object('query', 'reset the coffee machine', 'chunks', (SELECT jsonb_agg(jsonb_build_object('filename', s->'filename', 'score', s->'score', 'base', s->'knowledge_base')) FROM jsonb_array_elements(result->'sources') s))
FROM kb_call_tool('search_knowledge', '{"query": "reset the coffee machine", "mode": "keyword"}', kb_agent('agent-7'), session_id => 'call-1') result;
SELECT c->>'filename' AS filename, c->>'base' AS base, (c->>'score')::float8 > 0 AS has_score
FROM transcript CROSS JOIN LATERAL jsonb_array_elements(content::jsonb->'chunks') c WHERE role = 'tool';
SELECT regexp_replace(kb_call_tool('search_knowledge', '{"query": "Hold the red button for five seconds", "mode": "keyword", "limit": 1}', kb_agent('agent-7'), session_id => 'call-1')->'content'->0->>'text', '[0-9a-f-]{36}', '<id>') AS quoted;
-- The same from the log, for those who look at the call later.
SELECT h.tool, h.knowledge_bases, h.query, r->>'source' AS source, r->>'content' AS chunk, (r->>'document_id')::uuid = :'coffee' AS is_the_manual
FROM kb_rag.search_history h LEFT JOIN LATERAL jsonb_array_elements(h.results) r ON true
WHERE session_id = 'call-1' AND agent_id = kb_agent('agent-7')::text ORDER BY h.at, (r->>'score')::float8 DESC;
-- Detached during the call, the next one does not see the base any more.
SELECT kb_detach_agent(kb_agent('agent-7'), 'Billing policies');
SELECT DISTINCT s->>'knowledge_base' AS base FROM kb_call_tool('search_knowledge', '{"query": "coffee machine", "mode": "keyword"}', kb_agent('agent-7')) r CROSS JOIN LATERAL jsonb_array_elements(r->'sources') s;
-- An updated file replaces its text.
SELECT kb_add('Product manuals', 'Hold the blue button for ten seconds to reset the coffee machine.', source_key => 'uploads/coffee-machine.pdf') = :'coffee' AS is_the_same;
SELECT s->>'filename' AS filename, r->'content'->0->>'text' ~ 'blue button' AS is_new FROM kb_call_tool('search_knowledge', '{"query": "reset", "mode": "keyword"}', kb_agent('agent-7')) r CROSS JOIN LATERAL jsonb_array_elements(r->'sources') s;
-- Files and their state, as the dashboard lists them.
SELECT source, mime_type, status, chunks FROM kb_browse('Product manuals') ORDER BY source;

RESET ROLE;
RESET kb_rag.log_searches;
SELECT kb_agent_drop(kb_agent('agent-7'));
DROP TABLE transcript;
SELECT kb_drop(name) FROM kb_list();
SELECT kb_revoke_admin('kb_regress_voice');
DROP ROLE kb_regress_voice;
