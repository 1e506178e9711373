-- kb_tools and kb_call_tool: what a chat model is told, and what it gets.
SET client_min_messages = warning;
SELECT kb_tools() AS none;
SELECT kb_create('Deploy Guides', description => 'How the product is deployed.') AS guides, kb_create('notes') AS notes, kb_create('hidden') AS hidden \gset
SELECT count(kb_add(kb, text, title => title, source_key => key, source_type => type, metadata => metadata))
FROM (VALUES
    ('Deploy Guides', 'Rollbacks are triggered with deployctl rollback and the number of the release.', 'Rollback', 'guides/deploy-guide.pdf', 'document', '{"team": "ops"}'::jsonb),
    ('Deploy Guides', 'A deployment runs the migrations of the database first.', 'Migrations', 'https://example.com/deploy', 'webpage', '{"team": "db"}'),
    ('notes', 'The build server restarts every Sunday night.', 'Servers', NULL, 'document', '{}'),
    ('notes', 'fn restart(server: &Server) -> Result<()> { server.stop()?; server.start() }', NULL, 'src/restart.rs', 'code', '{}'),
    ('hidden', 'Nobody may read that the build server costs a lot.', 'Costs', NULL, 'document', '{}')) t (kb, text, title, key, type, metadata);
SELECT kb_attach_agent(kb_agent('agt_1'), kb) FROM unnest('{Deploy Guides,notes}'::text[]) kb;

-- The list, in both formats.
SELECT jsonb_pretty(kb_tools(kb_agent('agt_1')));
SELECT o->>'type' AS type, o->'function'->>'name' AS name, (o->'function') - 'parameters' || jsonb_build_object('inputSchema', o->'function'->'parameters') = m AS same_as_mcp
FROM jsonb_array_elements(kb_tools(kb_agent('agt_1'), 'openai')) WITH ORDINALITY o (o, n)
JOIN jsonb_array_elements(kb_tools(kb_agent('agt_1'), 'mcp')) WITH ORDINALITY m (m, n) USING (n);
SELECT jsonb_path_query_array(kb_tools(), '$[*].name') AS of_the_caller, kb_tools(kb_agent('nobody')) AS of_nobody, kb_tools(NULL, NULL) = kb_tools() AS null_is_default;
SELECT jsonb_path_query_array(kb_tools(:'notes'), '$[*].name') AS of_one_base;

-- The search of one base.
SELECT jsonb_pretty(kb_call_tool('search_deploy_guides', '{"query": "How are rollbacks triggered?"}', kb_agent('agt_1')) #- '{structuredContent}' #- '{sources,0,chunk_id}' #- '{sources,0,document_id}' #- '{sources,0,similarity}' #- '{sources,0,relevance}');
-- sources and structuredContent are the same; identifiers, scores and offsets are those of kb_search.
SELECT c.result->'sources' = c.result->'structuredContent'->'sources' AS same_twice, count(*) AS sources,
    bool_and(s->>'chunk_id' = f.chunk_id::text AND s->>'document_id' = f.document_id::text AND (s->>'score')::float8 = f.score AND (s->>'similarity')::float8 = f.similarity
        AND (s->>'start_char')::int = f.start_char AND (s->>'end_char')::int = f.end_char AND s->'metadata' @> f.metadata AND (s->'metadata') - '{filename,kb_id}'::text[] = f.metadata AND s->'metadata'->>'kb_id' = f.knowledge_base AND s->>'title' IS NOT DISTINCT FROM f.title) AS as_found
FROM (SELECT kb_call_tool('search_knowledge', '{"query": "build server", "knowledge_base": "notes"}') AS result) c
CROSS JOIN LATERAL jsonb_array_elements(c.result->'sources') WITH ORDINALITY s (s, n)
JOIN (SELECT row_number() OVER () AS n, f.* FROM kb_search('build server', 'notes', match_threshold => 0.3) f) f USING (n)
GROUP BY 1;

-- The search of all bases of the agent: those it has, and no other.
CREATE FUNCTION said(tool text, arguments jsonb, agent uuid DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN (r->>'isError')::bool THEN 'ERROR: ' ELSE '' END || regexp_replace(r->'content'->0->>'text', '[0-9a-f]{8}-[0-9a-f-]{27}', '<id>', 'g')
        || coalesce(' <- ' || (SELECT string_agg(concat_ws(' ', s->>'knowledge_base', s->>'kb_id', s->>'filename', s->>'source'), ', ') FROM jsonb_array_elements(r->'sources') s), '')
    FROM kb_call_tool(tool, arguments, agent) r
$$;
SELECT said('search_knowledge', '{"query": "When does the build server restart?"}', kb_agent('agt_1'));
SELECT said('search_knowledge', '{"query": "When does the build server restart?", "limit": 1, "mode": "semantic"}', kb_agent('agt_1'));
SELECT said('search_knowledge', '{"query": "restart server", "source_type": "code", "mode": "keyword"}', kb_agent('agt_1'));
SELECT said('search_knowledge', '{"query": "build server costs"}') ~ 'Nobody may read' AS of_the_caller, said('search_knowledge', '{"query": "build server costs"}', kb_agent('agt_1')) ~ 'Nobody may read' AS of_the_agent;
SELECT kb_attach_agent(kb_agent('agt_2'), 'Deploy Guides', '{"team": "db"}');
SELECT said('search_deploy_guides', '{"query": "deployment of a release"}', kb_agent('agt_2'));
SELECT said('search_deploy_guides', '{"query": "rollback"}', kb_agent('agt_2'));
-- Nothing about it is no error, and no noise; the threshold of the base comes first.
SELECT said('search_deploy_guides', '{"query": "Hello, how are you?"}'), said('search_knowledge', '{"query": "Hello, how are you?"}');
SELECT kb_configure('notes', match_threshold => 0.9);
SELECT said('search_notes', '{"query": "When does the build server restart?"}');
SELECT kb_configure('notes', match_threshold => -1);

-- Reading a document: only those that the agent may find.
SELECT d.id AS rollback FROM kb_deploy_guides.document d WHERE title = 'Rollback' \gset
SELECT d.id AS migrations FROM kb_deploy_guides.document d WHERE title = 'Migrations' \gset
SELECT d.id AS costs FROM kb_hidden.document d \gset
SELECT said('read_knowledge', jsonb_build_object('id', :'rollback'), kb_agent('agt_1')) AS of_agt_1, said('read_knowledge', jsonb_build_object('id', :'rollback'), kb_agent('agt_2')) AS of_agt_2;
SELECT said('read_knowledge', jsonb_build_object('id', :'migrations'), kb_agent('agt_2')) AS of_agt_2;
SELECT said('read_knowledge', jsonb_build_object('id', :'costs'), kb_agent('agt_1')) AS of_agt_1, said('read_knowledge', jsonb_build_object('id', :'costs')) AS of_the_caller;
SELECT said('read_knowledge', '{"id": "00000000-0000-0000-0000-000000000000"}') AS unknown, said('read_knowledge', '{"id": "guide"}') AS no_id;
-- A long one is read in parts, none of which ends within a character; what is left out is said.
SELECT kb_create('long', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('long', string_agg('Line ' || n || E' of the long note: grüße, 👩‍🚀.\n', '' ORDER BY n), title => 'Long') AS long FROM generate_series(1, 2000) n \gset
CREATE FUNCTION part(id text, VARIADIC arguments text[]) RETURNS jsonb LANGUAGE sql AS $$
    SELECT r || jsonb_build_object('text', r->'content'->0->>'text', 'part', r->'structuredContent'->'part')
    FROM kb_call_tool('read_knowledge', jsonb_build_object('id', id) || jsonb_object(arguments)) r
$$;
SELECT length(r->>'text') AS length, right(r->>'text', 97) AS note, r->'part' AS part FROM part(:'long', VARIADIC '{}') r;
SELECT r->>'text' AS text, r->'part' AS part FROM part(:'long', 'max_chars', '34') r;
SELECT right(r->>'text', 120) AS last, r->'part' AS part FROM part(:'long', 'offset', '78000') r;
WITH RECURSIVE parts AS (
    SELECT 1 AS n, part(:'long', 'max_chars', '7777') AS r
    UNION ALL SELECT n + 1, part(:'long', 'max_chars', '7777', 'offset', r->'part'->>'next_offset') FROM parts WHERE r->'part'->>'next_offset' IS NOT NULL)
SELECT count(*) AS parts, string_agg(regexp_replace(r->>'text', '\n[^\n]*$', ''), '' ORDER BY n) = (SELECT content FROM kb_long.document WHERE id = :'long') AS whole FROM parts;
SELECT given, said('read_knowledge', jsonb_build_object('id', :'long') || given::jsonb)
FROM unnest(ARRAY['{"offset": 999999}', '{"offset": -1}', '{"max_chars": 50001}', '{"max_chars": 0}', '{"limit": 5}']) given;
SELECT kb_drop('long');

-- The key of a row of an attached table is no file name.
CREATE TABLE servers (id int PRIMARY KEY, body text);
INSERT INTO servers VALUES (42, 'The mail server is in the cellar.');
SELECT kb_attach('servers', 'notes', 'body') IS NOT NULL AS attached;
SELECT r->'sources'->0->'source' AS source, r->'sources'->0->'filename' AS filename FROM kb_call_tool('search_notes', '{"query": "Where is the mail server?"}') r;
SELECT r->'sources'->0->'source' AS source, r->'sources'->0->'filename' AS filename FROM kb_notes.document d CROSS JOIN LATERAL kb_call_tool('read_knowledge', jsonb_build_object('id', d.id)) r WHERE d.source_key = '42';
SELECT kb_detach('servers', 'notes', delete_documents => true);
DROP TABLE servers;

-- Mistakes of the model are results.
SELECT tool, arguments, said FROM (VALUES
    ('search_notes', NULL), ('search_notes', '{}'), ('search_notes', '[]'), ('search_notes', '"text"'), ('search_notes', '{"query": ""}'), ('search_notes', '{"query": ["a"]}'),
    ('search_notes', '{"query": "a", "limit": 3}'), ('search_knowledge', '{"query": "a", "limit": 1000}'), ('search_knowledge', '{"query": "a", "mode": "fast"}'),
    ('search_knowledge', '{"query": "a", "knowledge_base": "note"}'), ('search_knowledge', '{"query": "a", "source_type": 1}'), ('read_knowledge', '{}'),
    ('search_notes', '{"query": 1e400}')) m (tool, arguments), LATERAL (SELECT arguments::jsonb) a (parsed), LATERAL said(tool, parsed) said;
SELECT said('search_notes', (repeat('{"query": ', 500) || '1' || repeat('}', 500))::jsonb);
SELECT said('search_notes', jsonb_build_object('query', repeat('long ', 20000)));
SELECT regexp_replace(said('search_notes', jsonb_build_object('query', repeat('long ', 400000))), '[0-9]{7}', '<bytes>') AS too_large;
-- Arguments may be the text of an object, as chat APIs send them; a text that is none is a mistake of the model.
SELECT given, said('search_notes', to_jsonb(given)) FROM unnest(ARRAY['{"query": "When does the build server restart?"}', '', '{"query": "cut', '{"query": "a\u0000b"}', '{"query": "a\ud800b"}', '["query"]']) given;
SELECT said('search_knowledge', '{"query": "zebra crossing"}') AS tells_of_keywords, said('search_knowledge', '{"query": "build server", "source_type": "webpages", "mode": "Keyword", "limit": "3"}') AS tells_of_the_type;
-- So is a model that cannot be used; the transaction goes on.
BEGIN;
UPDATE kb_rag.knowledge_base SET model = 'nowhere/model' WHERE name = 'notes';
SELECT said('search_knowledge', '{"query": "build server", "mode": "semantic", "knowledge_base": "notes"}');
SET LOCAL client_min_messages = error;
SELECT said('search_notes', '{"query": "build server"}');
ROLLBACK;
-- Mistakes of the application are errors.
SELECT * FROM error_of($$SELECT kb_call_tool('search_everything', '{"query": "a"}')$$);
SELECT * FROM error_of($$SELECT kb_call_tool('search_hidden', '{"query": "a"}', kb_agent('agt_1'))$$);
SELECT state, message, hint FROM error_of($$SELECT kb_call_tool('search_notes', '{"query": "a"}', kb_agent('nobody'))$$);
SELECT * FROM error_of($$SELECT kb_call_tool(NULL, '{"query": "a"}')$$);
SELECT * FROM error_of($$SELECT kb_tools(format => 'xml')$$);

-- A renamed base keeps its tool. A base called knowledge has the tool for all.
SELECT kb_rename('Deploy Guides', 'guides');
SELECT kb_create('knowledge') AS knowledge \gset
SELECT jsonb_path_query_array(kb_tools(), '$[*].name') AS tools;
SELECT said('search_deploy_guides', '{"query": "rollback"}') ~ 'deployctl' AS found;
-- With more than 20 bases there is one tool for all; those of single bases still work.
SELECT count(kb_create('many ' || n, model => 'fake/test', dimensions => 8)) FROM generate_series(1, 17) n;
SELECT jsonb_path_query_array(kb_tools(), '$[*].name') AS tools, jsonb_array_length(jsonb_path_query_first(kb_tools(), '$[*] ? (@.name == "search_knowledge")')->'inputSchema'->'properties'->'knowledge_base'->'enum') AS bases;
SELECT said('search_deploy_guides', '{"query": "rollback"}') ~ 'deployctl' AS found;

-- Rights: a role is told of its own circle, and may not call tools of bases that it may not read.
SELECT kb_drop('many ' || n) FROM generate_series(1, 17) n;
CREATE ROLE kb_test181_agent;
SELECT kb_grant('notes', 'kb_test181_agent', 'read');
SET ROLE kb_test181_agent;
SELECT jsonb_path_query_array(kb_tools(), '$[*].name') AS tools, said('search_notes', '{"query": "build server"}') ~ 'Sunday' AS found;
SELECT state, message FROM error_of($$SELECT kb_call_tool('search_hidden', '{"query": "a"}')$$);
SELECT state, message FROM error_of($$SELECT kb_tools(kb_agent('agt_1'))$$);
SELECT state, message FROM error_of($$SELECT kb_call_tool('search_knowledge', '{"query": "a"}', kb_agent('agt_1'))$$);
RESET ROLE;
-- A superuser is told of its own circle too, and may name the others.
SELECT kb_grant_admin('kb_test181_agent');
SET ROLE kb_test181_agent;
SELECT kb_create('of the agent') IS NOT NULL AS created;
SELECT kb_add('of the agent', 'The build server of the agent restarts on Mondays.') IS NOT NULL AS added;
RESET ROLE;
SET client_min_messages = notice;
SELECT jsonb_path_query_array(kb_tools(), '$[*].name') AS tools;
SET client_min_messages = warning;
SELECT said('search_of_the_agent', '{"query": "When does the build server restart?"}') ~ 'Mondays' AS by_tool, said('search_knowledge', '{"query": "When does the build server restart?", "knowledge_base": "of the agent"}') ~ 'Mondays' AS by_name, said('search_knowledge', '{"query": "When does the build server restart?"}') ~ 'Mondays' AS by_neither;
-- A chat model cannot make policies of an untrusted owner run as the caller, who may name the base itself.
SET ROLE kb_test181_agent;
SELECT kb_create('trap') IS NOT NULL AS created;
SELECT kb_add('trap', 'A build server that is a trap.') IS NOT NULL AS added;
SELECT kb_grant('trap', 'public', 'read');
CREATE POLICY traps ON kb_trap.document USING (true);
ALTER TABLE kb_trap.document ENABLE ROW LEVEL SECURITY;
RESET ROLE;
CREATE ROLE kb_test181_other;
SET ROLE kb_test181_other;
SELECT state, message FROM error_of($$SELECT kb_call_tool('search_trap', '{"query": "build server"}')$$);
SELECT said('search_knowledge', '{"query": "build server", "knowledge_base": "trap"}') AS by_the_model, (SELECT count(*) FROM kb_search('build server', 'trap')) AS by_the_caller;
RESET ROLE;
DROP ROLE kb_test181_other;
SELECT kb_drop('trap');
-- A document that row security hides is not read.
SELECT d.id AS servers FROM kb_notes.document d WHERE title = 'Servers' \gset
CREATE POLICY code_only ON kb_notes.document FOR SELECT USING (source_type = 'code');
ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
SET ROLE kb_test181_agent;
SELECT said('read_knowledge', jsonb_build_object('id', :'servers')) AS hidden, said('search_notes', '{"query": "When does the build server restart every Sunday?"}') ~ 'Sunday' AS found;
RESET ROLE;
SELECT said('read_knowledge', jsonb_build_object('id', :'servers')) AS of_the_owner;

SELECT kb_drop(name) FROM kb_list();
DROP FUNCTION said;
SELECT kb_revoke_admin('kb_test181_agent');
DROP OWNED BY kb_test181_agent;
DROP ROLE kb_test181_agent;
