-- kb_add_output.
SET client_min_messages = warning;
CREATE ROLE kb_test178_writer;
CREATE ROLE kb_test178_reader;
SELECT kb_create('outputs', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;

-- More than 100 characters, whatever their bytes.
SELECT length(text), octet_length(text) > 200 AS wide, kb_add_output('outputs', text) IS NOT NULL AS added
FROM unnest(ARRAY[repeat('é', 100), repeat('é', 101), repeat('語', 100), '', repeat(' ', 99)]) text;
SELECT source_type, source_key, title, metadata, length(content), status FROM kb_outputs.document;
-- Two outputs are two documents, the same text too.
SELECT kb_add_output('outputs', repeat('a word ', 20)) <> kb_add_output('outputs', repeat('a word ', 20)) AS differ;
SELECT kb_add_output('outputs', repeat('a word ', 20), 'agt_1') <> kb_add_output('outputs', repeat('a word ', 20), 'agt_1') AS differ;
SELECT documents, chunks > 0 AS chunks, failed FROM kb_stats('outputs');
TRUNCATE kb_outputs.document CASCADE;

-- The limit and the switch are the user's.
SET kb_rag.auto_index_min_chars = 0;
SELECT kb_add_output('outputs', '') IS NULL AS empty, kb_add_output('outputs', 'a') IS NOT NULL AS added;
SET kb_rag.auto_index_min_chars = 1000;
SELECT kb_add_output('outputs', repeat('a', 1000)) IS NULL AS short, kb_add_output('outputs', repeat('a', 1001)) IS NOT NULL AS added;
RESET kb_rag.auto_index_min_chars;
SET kb_rag.auto_index = off;
SELECT kb_add_output('outputs', repeat('a', 1001));
RESET kb_rag.auto_index;
SELECT state, message FROM error_of('SET kb_rag.auto_index_min_chars = -1');
SELECT name, setting, context FROM pg_settings WHERE name LIKE 'kb_rag.auto%' ORDER BY name;
TRUNCATE kb_outputs.document CASCADE;

-- The agent, by its name or its uuid.
SELECT kb_add_output('outputs', repeat('By name. ', 20), 'agt_1', title => 'by name', metadata => '{"run": 7}') IS NOT NULL,
    kb_add_output('outputs', repeat('By uuid. ', 20), kb_agent('agt_1')::text, 'by uuid') IS NOT NULL,
    kb_add_output('outputs', repeat('In capitals. ', 20), upper(kb_agent('agt_1')::text), 'in capitals') IS NOT NULL,
    kb_add_output('outputs', repeat('Repeated. ', 20), 'agt_1', 'repeated', jsonb_build_object('agent_id', kb_agent('agt_1'), 'agent', 'agt_1')) IS NOT NULL,
    kb_add_output('outputs', repeat('Of another. ', 20), 'agt_2', 'of another') IS NOT NULL,
    kb_add_output('outputs', repeat('Of none. ', 20), NULL, 'of none', '{"agent": "as it is"}') IS NOT NULL;
SELECT title, replace(replace(metadata::text, kb_agent('agt_1')::text, '<agt_1>'), kb_agent('agt_2')::text, '<agt_2>') AS metadata FROM kb_outputs.document ORDER BY id;
-- So an agent with a filter finds its own outputs, and they go with the agent.
SELECT kb_attach_agent(kb_agent('agt_1'), 'outputs', jsonb_build_object('agent_id', kb_agent('agt_1')));
SELECT title FROM kb_search_documents('repeated', agent_id => kb_agent('agt_1'), match_count => 50) ORDER BY title;
SELECT kb_agent_drop(kb_agent('agt_1'), true);
SELECT title FROM kb_outputs.document ORDER BY title;

-- Mistakes.
SELECT call, e.* FROM unnest(ARRAY[
    $$NULL, 'text'$$, $$'outputs', NULL$$, $$'output', 'text'$$, $$'outputs', 'text', ' '$$, $$'outputs', 'text', metadata => '[]'$$,
    $$'outputs', 'text', 'agt_1', metadata => '{"agent_id": "agt_1"}'$$, $$'outputs', 'text', 'agt_1', metadata => '{"agent": null}'$$,
    $$'outputs', 'text', 'a0000000-0000-0000-0000-00000000000a', metadata => '{"agent_id": "A0000000-0000-0000-0000-00000000000A"}'$$
]) call, error_of(format('SELECT kb_add_output(%s)', call)) e;

-- Rights are those of kb_add.
SELECT kb_grant('outputs', 'kb_test178_writer', 'write'), kb_grant('outputs', 'kb_test178_reader', 'read');
SET ROLE kb_test178_reader;
SELECT * FROM error_of($$SELECT kb_add_output('outputs', repeat('Not mine. ', 20))$$);
SET ROLE kb_test178_writer;
SELECT kb_add_output('outputs', repeat('Written. ', 20), 'agt_1') IS NOT NULL AS added;
RESET ROLE;
ALTER TABLE kb_outputs.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON kb_outputs.document USING (metadata->>'agent' = 'agt_1');
SET ROLE kb_test178_writer;
SELECT kb_add_output('outputs', repeat('Allowed. ', 20), 'agt_1') IS NOT NULL AS added;
SELECT state, message FROM error_of($$SELECT kb_add_output('outputs', repeat('Not allowed. ', 20), 'agt_2')$$);
RESET ROLE;

SELECT kb_drop('outputs');
DROP ROLE kb_test178_writer, kb_test178_reader;
RESET client_min_messages;
