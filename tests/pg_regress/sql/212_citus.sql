-- A base whose tables Citus distributes, as its trigger on the table document shows: 55000 in every function. tests/citus has the
-- same with Citus.
SET client_min_messages = warning;
CREATE FUNCTION pg_catalog.citus_truncate_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
SELECT kb_create('far', model => 'fake/test', dimensions => 8) IS NOT NULL AS created, kb_create('near', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add(base, 'Tea is hot.', source_key => 'tea') IS NOT NULL AS added FROM unnest('{far,near}'::text[]) base;
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', base) FROM unnest('{far,near}'::text[]) base;
SELECT kb_attach_agent(kb_agent(base), base) FROM unnest('{far,near}'::text[]) base;
CREATE ROLE kb_test212_reader;
SELECT kb_grant(base, 'kb_test212_reader', 'read') FROM unnest('{far,near}'::text[]) base;
CREATE TABLE notes (id int PRIMARY KEY, body text NOT NULL, vector vector(8));
CREATE TABLE pages (id int PRIMARY KEY, body text NOT NULL);
SELECT kb_attach('pages', base, 'body') IS NOT NULL AS attached FROM unnest('{far,near}'::text[]) base;
SELECT kb_question_add(base, 'is tea hot', '{tea}') IS NOT NULL AS added FROM unnest('{far,near}'::text[]) base;
SELECT kb_provider_grant('web', 'public');
SELECT kb_add_url(base, 'https://example.com/' || base) IS NOT NULL AS added FROM unnest('{far,near}'::text[]) base;

-- The error of a statement that is rolled back; 00000 where there is none.
CREATE FUNCTION tried(statement text, OUT state text, OUT message text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RAISE SQLSTATE 'KB000';
EXCEPTION
    WHEN SQLSTATE 'KB000' THEN state := '00000';
    WHEN OTHERS THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
END
$$;
-- A call of each public function that works on one base; its other arguments are any that get so far.
CREATE TABLE given (function text, argument text, value text);
INSERT INTO given VALUES
    ('kb_adopt', 'schema', $$'kb_BASE'$$), ('kb_add_url', 'url', $$'https://example.com/x'$$), ('kb_agent_drop', 'agent_id', $$kb_agent('BASE')$$), ('kb_agent_drop', 'delete_documents', 'true'), ('kb_create', 'if_not_exists', 'true'),
    ('kb_create', 'name', $$'BASE'$$), ('kb_configure', 'name', $$'BASE'$$), ('kb_drop', 'name', $$'BASE'$$), ('kb_grant', 'name', $$'BASE'$$), ('kb_revoke', 'name', $$'BASE'$$),
    ('kb_create', 'model', $$'fake/test'$$), ('kb_create', 'dimensions', '8'),
    ('kb_configure', 'description', $$'x'$$), ('kb_grant', 'privilege', $$'read'$$), ('kb_revoke', 'privilege', $$'read'$$), ('kb_grant', 'role', $$'kb_test212_reader'$$),
    ('kb_revoke', 'role', $$'kb_test212_reader'$$), ('kb_question_add', 'expected_keys', $$'{tea}'$$), ('kb_import', 'mapping', $$'{"content": "body", "embedding": "vector"}'$$), ('kb_detach', 'source', $$'pages'$$),
    ('kb_delete_where', 'filter', $$'{"a": 1}'$$), ('kb_compare', 'b', $$'{"mode": "keyword"}'$$), ('kb_context', 'query', $$'tea'$$),
    ('kb_snippets', 'messages', $$'[{"role": "user", "content": "tea"}]'$$), ('kb_snippets', 'fallback_base', $$'BASE'$$), ('kb_snippets', 'agent_id', $$'agt_none'$$),
    ('kb_source_drop', 'source_id', $$(SELECT source_id FROM kb_rag.web_source WHERE location = 'https://example.com/BASE')$$),
    ('kb_source_sync', 'source_id', $$(SELECT source_id FROM kb_rag.web_source WHERE location = 'https://example.com/BASE')$$),
    ('kb_call_tool', 'name', $$'search_knowledge'$$), ('kb_call_tool', 'arguments', $$'{"query": "tea", "knowledge_base": "BASE"}'$$),
    ('match_knowledge_chunks', 'p_agent_id', $$(SELECT id FROM kb_rag.knowledge_base WHERE name = 'BASE')$$), ('match_knowledge_chunks', 'p_query_embedding', $$kb_embed('tea', 'fake/test', 8)$$);
CREATE VIEW call AS
SELECT p.proname::text AS function,
    format('SELECT %s(%s)', p.oid::regproc, string_agg(a.name || ' => ' || coalesce(g.value, d.value), ', ' ORDER BY a.number)) AS statement,
    -- Whether it names a base.
    bool_or(a.name = 'knowledge_base' OR coalesce(g.value, '') LIKE '%BASE%') AS is_of_base
FROM pg_proc p
JOIN pg_depend e ON e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e'
JOIN pg_extension x ON x.oid = e.refobjid AND x.extname = 'kb_rag'
CROSS JOIN LATERAL (SELECT n AS number, p.proargnames[n] AS name, p.proargtypes[n - 1]::regtype::text AS type, n > p.pronargs - p.pronargdefaults AS has_default FROM generate_series(1, p.pronargs) n) a
LEFT JOIN given g ON g.function = p.proname AND g.argument = a.name
CROSS JOIN LATERAL (SELECT CASE
    WHEN a.name = 'knowledge_base' THEN $$'BASE'$$ WHEN a.name = 'new_name' THEN $$'other'$$ WHEN a.name = 'agent_id' THEN $$'a0000000-0000-0000-0000-000000000001'$$
    WHEN a.name = 'document_id' THEN $$(SELECT id FROM kb_BASE.document)$$
    WHEN a.type = 'jsonb' THEN $$'{}'$$ WHEN a.type = 'regclass' THEN $$'notes'$$ WHEN a.type = 'name' THEN $$'body'$$ WHEN a.type = 'text' THEN $$'tea'$$ WHEN a.type = 'bytea' THEN $$'tea'$$
    WHEN a.type = 'uuid' THEN $$'a0000000-0000-0000-0000-000000000001'$$ END AS value) d
WHERE (NOT a.has_default OR g.value IS NOT NULL OR a.name = 'knowledge_base') AND p.prokind = 'f'
    AND (p.pronamespace <> 'kb_rag'::regnamespace OR p.proname = 'logged_search')
GROUP BY p.oid, p.proname;
CREATE VIEW tries AS SELECT c.function, t.* FROM call c, tried(replace(c.statement, 'BASE', 'far')) t WHERE c.is_of_base;
CREATE VIEW controls AS SELECT c.function, t.* FROM call c, tried(replace(c.statement, 'BASE', 'near')) t WHERE c.is_of_base;

-- Before: both bases behave alike.
SET client_min_messages = error;
SELECT function, state, message FROM tries WHERE state <> '00000' ORDER BY function;

CREATE TRIGGER truncate_trigger_1 AFTER TRUNCATE ON kb_far.document FOR EACH STATEMENT EXECUTE FUNCTION pg_catalog.citus_truncate_trigger();
CREATE TABLE found AS SELECT function, t.state, t.message, c.state AS near FROM tries t JOIN controls c USING (function);
SELECT function, state, near FROM found ORDER BY function;
SELECT message, count(*) FROM found GROUP BY 1 ORDER BY 1;
-- Public functions that work on no single base.
SELECT string_agg(p.proname, ' ' ORDER BY p.proname)
FROM pg_proc p JOIN pg_depend e ON e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e' JOIN pg_extension x ON x.oid = e.refobjid AND x.extname = 'kb_rag'
WHERE p.pronamespace <> 'kb_rag'::regnamespace AND p.proname NOT IN (SELECT function FROM found);
SELECT * FROM error_of($$SELECT * FROM kb_search('tea', 'far')$$);
SELECT * FROM error_of($$SELECT kb_adopt('kb_far')$$);
SELECT * FROM error_of($$SELECT kb_drop('far')$$);
-- A chat model is told.
SELECT kb_call_tool('search_knowledge', '{"query": "tea", "knowledge_base": "far"}');
-- An agent gets no answer, and a WARNING.
RESET client_min_messages;
SELECT kb_snippets($$[{"role": "user", "content": "tea"}]$$, agent_id => $$agt_none$$, fallback_base => $$far$$);
SET client_min_messages = error;
-- SQL on its tables.
SELECT statement, (tried(replace(statement, 'BASE', 'far'))).*, (tried(replace(statement, 'BASE', 'near'))).state AS near
FROM (VALUES ($$INSERT INTO kb_BASE.document (content) VALUES ('x')$$), ($$UPDATE kb_BASE.document SET content = 'x'$$), ($$DELETE FROM kb_BASE.document$$),
    ($$TRUNCATE kb_BASE.chunk CASCADE$$), ($$SELECT * FROM kb_search('tea', knowledge_bases => '{near,BASE}')$$)) v (statement);
-- What covers all bases leaves it out, and says so.
RESET client_min_messages;
SELECT content FROM kb_search('tea', mode => 'keyword');
SELECT content FROM kb_search('tea', agent_id => 'a0000000-0000-0000-0000-000000000001', mode => 'keyword');
SELECT name FROM kb_list();
SELECT knowledge_base FROM kb_rag.status;
-- Workers pause it. The page of the other base is not to be fetched.
SELECT kb_source_drop(source_id) FROM kb_rag.web_source WHERE location = 'https://example.com/near';
CALL kb_work();
SELECT DISTINCT reason FROM kb_rag.pause;
SET client_min_messages = error;

-- Citus distributes no table with triggers: those of the base were dropped before.
DROP TRIGGER kb_rag_insert ON kb_far.document;
SELECT message, state, count(*) FROM tries GROUP BY 1, 2 ORDER BY 1;
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_far')$$);
DROP TRIGGER truncate_trigger_1 ON kb_far.document;
SELECT state, message FROM error_of($$SELECT * FROM kb_search('tea', 'far')$$);
SELECT kb_adopt('kb_far') IS NOT NULL AS adopted;
SELECT content FROM kb_search('tea', 'far');
-- Another function under the name of Citus's trigger.
CREATE FUNCTION citus_truncate_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER truncate_trigger_1 AFTER TRUNCATE ON kb_far.document FOR EACH STATEMENT EXECUTE FUNCTION public.citus_truncate_trigger();
SELECT content FROM kb_search('tea', 'far');

-- A table that a search reads without a statement.
CREATE TRIGGER truncate_trigger_2 AFTER TRUNCATE ON kb_far.keyword_segment FOR EACH STATEMENT EXECUTE FUNCTION pg_catalog.citus_truncate_trigger();
SELECT * FROM error_of($$SELECT * FROM kb_search('tea', 'far', 'keyword')$$);
DROP TRIGGER truncate_trigger_2 ON kb_far.keyword_segment;
SELECT content FROM kb_search('tea', 'far', 'keyword');

-- Distributed and reference tables are not attached.
CREATE TRIGGER truncate_trigger_3 AFTER TRUNCATE ON notes FOR EACH STATEMENT EXECUTE FUNCTION pg_catalog.citus_truncate_trigger();
SELECT * FROM error_of($$SELECT kb_attach('notes', 'near', 'body')$$);
DROP TRIGGER truncate_trigger_3 ON notes;
SELECT kb_attach('notes', 'near', 'body') IS NOT NULL AS attached;
