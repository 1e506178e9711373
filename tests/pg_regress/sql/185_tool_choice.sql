-- kb_tools for other clients, summaries in place of passages, the configuration of clients, and numbered prompts.
SET client_min_messages = warning;
SELECT kb_create('Deploy Guides', description => 'How the product''s deployed.') AS guides, kb_create('notes') AS notes \gset
SELECT count(kb_add(kb, text, title => title, source_key => key, metadata => metadata)) FROM (VALUES
    ('Deploy Guides', 'Rollbacks are triggered with deployctl rollback and the number of the release. They take two minutes.', 'Rollback', 'guides/deploy-guide.pdf', '{"n": 1.50000000000000000001, "kb_id": "its own"}'::jsonb),
    ('Deploy Guides', 'A deployment runs the migrations of the database first.', 'Migrations', 'https://example.com/deploy', '{}')) t (kb, text, title, key, metadata);
UPDATE kb_deploy_guides.document SET abstract = 'How to go back.', overview = 'Rollbacks: the command, the time.' WHERE title = 'Rollback';

-- Those that search one base.
SELECT jsonb_path_query_array(kb_tools(tools => 'search'), '$[*].name') AS search, jsonb_path_query_array(kb_tools(tools => 'all'), '$[*].name') AS all, kb_tools(tools => NULL) = kb_tools() AS default;
SELECT jsonb_path_query_array(kb_tools(kb_agent('nobody'), tools => 'search'), '$[*].name') AS of_nobody;
SELECT * FROM error_of($$SELECT kb_tools(tools => 'read')$$) \gx
-- The formats say the same.
SELECT a - 'input_schema' || jsonb_build_object('inputSchema', a->'input_schema') = m AS anthropic, g->'name' = m->'name' AND g->'description' = m->'description' AND g->'parameters'->'required' = m->'inputSchema'->'required' AS gemini
FROM jsonb_array_elements(kb_tools(format => 'anthropic')) WITH ORDINALITY a (a, n) JOIN jsonb_array_elements(kb_tools(format => 'gemini')) WITH ORDINALITY g (g, n) USING (n) JOIN jsonb_array_elements(kb_tools()) WITH ORDINALITY m (m, n) USING (n);
SELECT jsonb_pretty(kb_tools(format => 'gemini') -> 3);
SELECT state, hint FROM error_of($$SELECT kb_tools(format => 'cohere')$$);

-- Summaries of the documents that are found, each document once.
SELECT detail, regexp_replace(r->'content'->0->>'text', '[0-9a-f]{8}-[0-9a-f-]{27}', '<id>', 'g') AS text, r->'sources'->0->>'filename' AS filename, (r->'sources'->0->>'score')::float8 > 0 AS score, r->'isError' AS error
FROM unnest('{passages,overview,abstract,Abstract,all}'::text[]) detail, kb_call_tool('search_knowledge', jsonb_build_object('query', 'How are rollbacks triggered?', 'detail', detail)) r;
SELECT r->'content'->0->>'text' AS nothing FROM kb_call_tool('search_knowledge', '{"query": "Who won the match?", "detail": "overview", "source_type": "code"}') r;
SELECT r->'isError' AS error FROM kb_call_tool('search_deploy_guides', '{"query": "rollbacks", "detail": "overview"}') r;

SELECT kb_add('notes', repeat('A rollback of the whole cluster is slow. ', 100), title => 'Long') IS NOT NULL AS long, kb_add('notes', 'A rollback of a server is rather slow, if the cluster is.', title => 'Short') IS NOT NULL AS short;
SELECT detail, jsonb_path_query_array(r->'sources', '$[*].title') AS sources FROM unnest('{passages,overview}'::text[]) detail, kb_call_tool('search_knowledge', jsonb_build_object('query', 'Is a rollback of the cluster slow?', 'detail', detail, 'knowledge_base', 'notes', 'limit', 2)) r;

-- Metadata of sources has file and base, unless the document has members of these names; kb_search gives what is stored.
SELECT r->'sources'->0->'metadata' AS metadata FROM kb_call_tool('search_deploy_guides', '{"query": "How are rollbacks triggered?"}') r;
SELECT r->'sources'->0->'metadata' AS metadata FROM kb_call_tool('search_deploy_guides', '{"query": "What does a deployment run first?"}') r;
SELECT metadata FROM kb_search('migrations', 'Deploy Guides', 'keyword');

-- The configuration of clients.
SELECT jsonb_pretty(jsonb_agg(c - 'connection_url')) FROM jsonb_array_elements(kb_tools_config()::jsonb) c;
SELECT c->>'connection_url' = format('postgresql://%s@localhost:%s/%s', current_user, current_setting('port'), current_database()) AS own_url FROM jsonb_array_elements(kb_tools_config()::jsonb) c;
SELECT kb_attach_agent(kb_agent('one'), 'notes');
SELECT kb_tools_config('shell', 'postgresql://app@db.example.com/it''s', kb_agent('one'));
SELECT kb_tools_config(agent_id => kb_agent('nobody'));
SELECT state, hint FROM error_of($$SELECT kb_tools_config('yaml')$$);

-- A prompt has the number of the platform that it comes from. A version never changes.
SELECT kb_prompt_set('p', 'one'), kb_prompt_set('p', 'five', 5), kb_prompt_set('p', 'six'), kb_prompt_set('p', 'five', 5) AS again, kb_prompt_set('p', 'three', version => 3);
SELECT * FROM error_of($$SELECT kb_prompt_set('p', 'other', 5)$$) \gx
SELECT state, message, hint FROM error_of($$SELECT kb_prompt_set('p', 'other', 0)$$);
SELECT state FROM error_of($$SELECT kb_prompt_set('p', '', 9)$$);
SELECT version, content FROM kb_prompt_list();
CREATE ROLE kb_test185_other;
SELECT kb_grant_admin('kb_test185_other');
SET ROLE kb_test185_other;
SELECT state, message FROM error_of($$SELECT kb_prompt_set('p', 'theirs', 7)$$);
SELECT state FROM error_of($$SELECT kb_prompt_set('p', 'five', 5)$$);
SELECT kb_prompt_set('q', 'theirs', 7);
RESET ROLE;
SELECT kb_revoke_admin('kb_test185_other');
DROP ROLE kb_test185_other;
SELECT kb_drop(name) FROM kb_list();
