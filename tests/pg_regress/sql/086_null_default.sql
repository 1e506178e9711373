-- NULL for an argument that has a default means the default: clients and ORMs send it for "none".
SET client_min_messages = warning;
CREATE VIEW defaulted AS
SELECT p.proname::text AS function, p.prokind AS kind, p.proargnames[n] AS argument, n AS place, pg_get_function_arg_default(p.oid, n) ~ '^NULL' AS is_null
FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kb_rag'
CROSS JOIN generate_series(1, p.pronargs) n
WHERE pg_get_function_arg_default(p.oid, n) IS NOT NULL
    -- Functions all of whose arguments have a default have tests of their own, and so has kb_expose, whose view is the same for each name.
    -- A password matters to encrypted files only.
    AND p.pronargs > p.pronargdefaults AND p.proname <> 'kb_expose' AND p.proargnames[n] <> 'password'
    -- Only the chat model sees them.
    AND p.proargnames[n] <> 'instructions'
    -- 077_lexeme_formats tests it.
    AND p.proname <> 'to_tsvector';

-- How each function is called: what precedes, the call, to which the arguments with a default are added, and what shows its
-- result unless the call does.
CREATE TABLE calls (function text PRIMARY KEY, before text, call text NOT NULL, shown text);
INSERT INTO calls VALUES
    ('kb_add', NULL, $$SELECT kb_add('nulls', E'# Tea\n\nTea needs four minutes.'%s)$$,
        $$SELECT to_jsonb(d) - 'id' || to_jsonb(c) - ARRAY['id', 'document_id', 'keyword_number'] FROM kb_nulls.document d JOIN kb_nulls.chunk c ON c.document_id = d.id$$),
    ('kb_add_file', $$INSERT INTO kb_nulls.source (id, kind, location) VALUES ('a0000000-0000-0000-0000-000000000002', 'directory', '/tea')$$,
        $$SELECT kb_add_file('nulls', '<p>Tea needs four minutes.', 'tea.txt'%s)$$,
        $$SELECT to_jsonb(d) - 'id' || to_jsonb(c) - ARRAY['id', 'document_id', 'keyword_number'] FROM kb_nulls.document d JOIN kb_nulls.chunk c ON c.document_id = d.id$$),
    ('kb_add_url', NULL, $$SELECT kb_add_url('nulls', 'https://example.com/tea'%s)$$,
        $$SELECT to_jsonb(w) - ARRAY['source_id', 'knowledge_base_id', 'created_at'] FROM kb_rag.web_source w$$),
    ('kb_extract', NULL, $$SELECT jsonb_agg(to_jsonb(e)) FROM kb_extract(E'<p>Tea needs four minutes.'%s) e$$, NULL),
    ('kb_add_output', NULL, $$SELECT kb_add_output('nulls', repeat('A text. ', 20)%s)$$,
        $$SELECT to_jsonb(d) - 'id' || to_jsonb(c) - ARRAY['id', 'document_id', 'keyword_number'] FROM kb_nulls.document d JOIN kb_nulls.chunk c ON c.document_id = d.id$$),
    ('kb_adopt', $$DELETE FROM kb_rag.knowledge_base WHERE name = 'nulls'$$, $$SELECT kb_adopt('kb_nulls'%s)$$,
        $$SELECT to_jsonb(l) - 'created_at' FROM kb_list() l$$),
    ('kb_agent_configure', $$SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'nulls')$$,
        $$SELECT kb_agent_configure('a0000000-0000-0000-0000-000000000001'%s)$$, $$SELECT to_jsonb(l) FROM kb_agent_list() l$$),
    ('kb_agent_drop', $$SELECT kb_add('nulls', 'A text.', metadata => '{"agent_id": "a0000000-0000-0000-0000-000000000001"}')$$,
        $$SELECT kb_agent_drop('a0000000-0000-0000-0000-000000000001'%s)$$, NULL),
    ('kb_attach', NULL, $$SELECT kb_attach('dishes', 'nulls', 'body'%s)$$,
        $$SELECT jsonb_agg(to_jsonb(d) - ARRAY['id', 'source_id'] ORDER BY content) FROM kb_nulls.document d$$),
    ('kb_attach_agent', $$SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'nulls', '{"a": 2}')$$,
        $$SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'nulls'%s)$$, $$SELECT a.filter FROM kb_rag.agent_knowledge_base a$$),
    ('kb_chunk', NULL, $$SELECT jsonb_agg(to_jsonb(c)) FROM kb_chunk('# Long' || repeat(E'\n\nOne sentence. Another sentence.', 100)%s) c$$, NULL),
    ('kb_configure', $$UPDATE kb_rag.knowledge_base SET lexeme_format = 1 WHERE name = 'nulls'$$, $$SELECT kb_configure('nulls'%s)$$,
        $$SELECT to_jsonb(l) FROM kb_list() l$$),
    ('kb_create', NULL, $$SELECT kb_create('other'%s)$$,
        $$SELECT to_jsonb(l) - ARRAY['id', 'created_at'] FROM kb_list() l WHERE name = 'other'$$),
    ('kb_delete', $$INSERT INTO kb_nulls.document (id, content) VALUES ('a0000000-0000-0000-0000-000000000001', 'Tea.')$$,
        $$SELECT kb_delete('a0000000-0000-0000-0000-000000000001'%s)$$, NULL),
    ('kb_delete_where', $$INSERT INTO kb_nulls.document (id, content) VALUES ('a0000000-0000-0000-0000-000000000001', 'Tea.')$$,
        $$SELECT kb_delete_where('nulls', '{}'%s)$$, NULL),
    ('kb_detach', $$SELECT kb_attach('dishes', 'nulls', 'body')$$, $$SELECT kb_detach('dishes', 'nulls'%s)$$,
        $$SELECT to_jsonb(count(*)) FROM kb_nulls.document$$),
    ('kb_embed', NULL, $$SELECT to_jsonb(kb_embed('a text'%s)::text)$$, NULL),
    ('kb_embed_batch', NULL, $$SELECT jsonb_agg(e.embedding::text) FROM kb_embed_batch(ARRAY['a text', 'another'] %s) e$$, NULL),
    -- Documents of an earlier version of the chunker.
    ('kb_reconcile', $$INSERT INTO kb_nulls.document (content) VALUES ('Tea.'), ('Bread.'); ALTER TABLE kb_nulls.document DISABLE TRIGGER USER;
        UPDATE kb_nulls.document SET chunker_version = 0; ALTER TABLE kb_nulls.document ENABLE TRIGGER USER$$,
        $$SELECT kb_reconcile('nulls'%s)$$, $$SELECT to_jsonb(min(chunker_version)) FROM kb_nulls.document$$),
    ('kb_estimate', $$INSERT INTO kb_nulls.document (content) VALUES ('Tea.'), ('Bread.'); ALTER TABLE kb_nulls.document DISABLE TRIGGER USER;
        UPDATE kb_nulls.document SET chunker_version = 0; ALTER TABLE kb_nulls.document ENABLE TRIGGER USER; UPDATE kb_nulls.chunk SET content_hash = 'x'$$,
        $$SELECT to_jsonb(e) FROM kb_estimate('nulls'%s) e$$, NULL),
    ('kb_highlight', NULL, $$SELECT to_jsonb(h) FROM kb_highlight('Tea runs four minutes.', 'tea running -four', 'nulls'%s) h$$, NULL),
    -- Nothing but the log shows who asked.
    ('kb_retrieve', $$SET LOCAL kb_rag.log_searches = on; CREATE TABLE articles AS SELECT kb_embed('Tea.', 'fake/test', 8) AS vec, '{"content": "Tea."}'::jsonb AS metadata$$,
        $$SELECT kb_retrieve('{"type": "pgvector", "hostname": "localhost", "port": 5432, "password": "${P}", "collection": "articles", "embedding_model": "fake/test", "embedding_dimensions": 8}', '[{"role": "user", "content": "tea"}]'%s)$$,
        $$SELECT to_jsonb(h) - ARRAY['at', 'milliseconds'] FROM kb_rag.search_history h$$),
    -- A call of a chat model counts, even one that fails.
    ('kb_rewrite_query', NULL, $$SELECT to_jsonb(kb_rewrite_query('[{"role": "user", "content": "tea"}]'%s))$$, $$SELECT to_jsonb(count(*)) FROM kb_rag.usage$$),
    ('kb_provider_set', NULL, $$SELECT kb_provider_set('corp'%s)$$,
        $$SELECT to_jsonb(p) FROM kb_rag.provider p WHERE name = 'corp'$$),
    ('kb_prompt_set', NULL, $$SELECT to_jsonb(kb_prompt_set('p', 'text'%s))$$, NULL),
    ('kb_provider_grant', NULL, $$SELECT kb_provider_grant('web', 'public'%s)$$,
        $$SELECT to_jsonb(g) FROM (SELECT provider, role, NULL::uuid AS agent_id, true AS auto_sync FROM kb_rag.provider_grant UNION ALL SELECT * FROM kb_rag.limited_grant) g$$),
    ('kb_provider_revoke', $$SELECT kb_provider_grant('web', 'public'), kb_provider_grant('web', 'public', agent_id => kb_agent('agt_1'))$$, $$SELECT kb_provider_revoke('web', 'public'%s)$$,
        $$SELECT to_jsonb(count(*)) FROM kb_rag.provider_grant g$$),
    ('kb_provider_test', NULL, $$SELECT to_jsonb(t) FROM kb_provider_test('corp'%s) t$$, NULL),
    ('kb_read', $$INSERT INTO kb_nulls.document (id, content) VALUES ('a0000000-0000-0000-0000-000000000001', repeat('Tea is hot. ', 30))$$,
        $$SELECT to_jsonb(r) FROM kb_read('a0000000-0000-0000-0000-000000000001'%s) r$$, NULL),
    ('kb_refresh', $$INSERT INTO kb_nulls.document (id, content) VALUES ('a0000000-0000-0000-0000-000000000001', 'Tea.')$$,
        $$SELECT kb_refresh('a0000000-0000-0000-0000-000000000001'%s)$$, NULL);
-- Searches find two chunks of a document, other documents, and another base. Identifiers differ from call to call.
INSERT INTO calls SELECT function, $$SELECT kb_add('nulls', 'Tea is hot.', source_key => 'tea'), kb_add('nulls', 'Bread is warm.', source_key => 'bread');
    SELECT kb_question_add('nulls', 'is tea hot', '{tea}', tags => '{drinks}'), kb_question_add('nulls', 'bread, warm', '{bread}')$$, call, kept
FROM (VALUES
    ('kb_question_add', $$SELECT kb_question_add('nulls', 'any cold tea'%s)$$, $$SELECT to_jsonb(q) - ARRAY['id', 'created_at'] FROM kb_nulls.question q WHERE q.question = 'any cold tea'$$),
    ('kb_question_draft', $$SELECT jsonb_agg(to_jsonb(e) - 'question_id') FROM kb_question_draft('nulls'%s) e$$, NULL),
    ('kb_evaluate', $$SELECT jsonb_agg(to_jsonb(e) - 'milliseconds') FROM kb_evaluate('nulls'%s) e$$, NULL),
    ('kb_evaluate_questions', $$SELECT jsonb_agg(to_jsonb(e) - ARRAY['milliseconds', 'question_id']) FROM kb_evaluate_questions('nulls'%s) e$$, NULL),
    ('kb_compare', $$SELECT jsonb_agg(e) FROM kb_compare('nulls', '{}', '{"mode": "keyword"}'%s) e$$, NULL),
    ('kb_suggest', $$SELECT jsonb_agg(e) FROM kb_suggest('nulls'%s) e$$, NULL)) q (function, call, kept);
INSERT INTO calls SELECT function, $$INSERT INTO kb_nulls.document (content, source_type, metadata) VALUES
        (repeat('Tea is hot. ', 15) || E'\n\n' || repeat('Bread is warm. ', 12), 'document', '{"a": 1}'), ('Tea and bread.', 'webpage', '{"a": 2}'), ('Cold tea.', 'document', '{}'), ('Tea and bread.', 'webpage', '{"a": 2}');
    SELECT kb_create('second', model => 'fake/test', dimensions => 8);
    INSERT INTO kb_second.document (content) VALUES ('Bread with tea.')$$, call, NULL
FROM (VALUES
    ('kb_hybrid_search', $$SELECT jsonb_agg(to_jsonb(s) - ARRAY['chunk_id', 'document_id']) FROM kb_hybrid_search('tea "and bread"'%s) s$$),
    ('kb_explain', $$SELECT jsonb_build_object('chunk', jsonb_typeof(e->'chunk'), 'fusion', e->'fusion', 'thresholds', e->'thresholds', 'question', e->'question', 'scores', jsonb_path_query_array(e, '$.results[*].score')) FROM kb_explain('tea "and bread"', 'nulls'%s) e$$),
    ('kb_search', $$SELECT jsonb_agg(to_jsonb(s) - ARRAY['chunk_id', 'document_id']) FROM kb_search('tea "and bread"'%s) s$$),
    ('kb_context', $$SELECT to_jsonb(kb_context('tea "and bread"'%s))$$),
    ('kb_search_documents', $$SELECT jsonb_agg(to_jsonb(s) - ARRAY['document_id', 'best_chunk_id']) FROM kb_search_documents('tea "and bread"'%s) s$$),
    ('match_knowledge_chunks', $$SELECT jsonb_agg(to_jsonb(m) - 'id') FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'nulls'), kb_embed('Tea and bread.', 'fake/test', 8)%s) m$$)
) s (function, call);
-- Calls of agents are compared by what the log says of them.
INSERT INTO calls SELECT t.function, 'SET LOCAL kb_rag.log_searches = on;' || before, t.call,
    $$SELECT to_jsonb(h) - ARRAY['at', 'milliseconds', 'results'] || jsonb_build_object('found', jsonb_array_length(results)) FROM kb_rag.search_history h$$
FROM calls c CROSS JOIN (VALUES
    ('kb_call_tool', $$SELECT kb_call_tool('search_knowledge', '{"query": "tea"}'%s)$$),
    ('kb_snippets', $$SELECT kb_snippets('[{"role": "user", "content": "tea"}]'%s)$$)) t (function, call)
WHERE c.function = 'kb_search';
INSERT INTO calls SELECT 'logged_search', 'SET LOCAL kb_rag.log_searches = on;' || before, replace(call, 'kb_search(', 'kb_rag.logged_search('),
    -- Without snippets, which the log does not have.
    $$SELECT jsonb_agg(r - ARRAY['chunk_id', 'document_id'] || jsonb_build_object('session', h.session_id)) FROM kb_rag.search_history h CROSS JOIN LATERAL jsonb_array_elements(h.results) r$$
FROM calls WHERE function = 'kb_search';

-- A value other than the default, for each argument: the control that the argument changes the result. if_not_exists does only where
-- there is one: 163_if_not_exists.
CREATE TABLE others (function text, argument text, value text NOT NULL, PRIMARY KEY (function, argument));
INSERT INTO others VALUES
    ('kb_add', 'title', $$'Tea'$$), ('kb_add', 'source_key', $$'tea'$$), ('kb_add', 'source_type', $$'code'$$), ('kb_add', 'metadata', $$'{"a": 1}'$$),
    ('kb_add', 'mime_type', $$'text/markdown'$$), ('kb_add', 'language', $$'german'$$),
    ('kb_add_file', 'title', $$'Tea'$$), ('kb_add_file', 'source_key', $$'tea'$$), ('kb_add_file', 'source_type', $$'code'$$), ('kb_add_file', 'metadata', $$'{"a": 1}'$$),
    ('kb_add_file', 'mime_type', $$'text/html'$$), ('kb_add_file', 'language', $$'german'$$), ('kb_add_file', 'source_id', $$'a0000000-0000-0000-0000-000000000002'$$),
    ('kb_add_url', 'title', $$'Tea'$$), ('kb_add_url', 'content_type', $$'docs'$$), ('kb_add_url', 'metadata', $$'{"a": 1}'$$), ('kb_add_url', 'crawl_depth', '2'),
    ('kb_add_url', 'max_pages', '5'), ('kb_add_url', 'exclude_patterns', $$'{/blog/*}'$$), ('kb_add_url', 'scrape_method', $$'nothing'$$), ('kb_add_url', 'auto_sync', 'true'),
    ('kb_add_url', 'sync_interval', $$'1 hour'$$), ('kb_add_url', 'agent_id', $$'a0000000-0000-0000-0000-000000000001'$$),
    ('kb_extract', 'filename', $$'a.html'$$), ('kb_extract', 'mime_type', $$'text/html'$$),
    ('kb_add_output', 'agent_id', $$'agt_1'$$), ('kb_add_output', 'title', $$'Tea'$$), ('kb_add_output', 'metadata', $$'{"a": 1}'$$),
    ('kb_delete', 'knowledge_base', $$'tea'$$), ('kb_read', 'knowledge_base', $$'tea'$$), ('kb_read', 'level', $$'abstract'$$), ('kb_refresh', 'knowledge_base', $$'tea'$$),
    ('kb_browse', 'filter', $$'{"a": 1}'$$), ('kb_delete_where', 'everything', 'true'),
    ('kb_adopt', 'name', $$'adopted'$$), ('kb_adopt', 'model', $$'fake/other'$$),
    ('kb_agent_configure', 'use_knowledge_base', 'false'), ('kb_agent_drop', 'delete_documents', 'true'),
    ('kb_attach', 'title', $$'headline'$$), ('kb_attach', 'mime_type', $$'text/markdown'$$), ('kb_attach', 'language', $$'de'$$), ('kb_attach', 'more_content', $$'{topic}'$$), ('kb_attach', 'url', $$'https://e.example/{topic}'$$), ('kb_attach', 'wait', 'true'), ('kb_attach', 'if_not_exists', 'true'), ('kb_create', 'if_not_exists', 'true'), ('kb_attach', 'metadata', $$'{topic}'$$), ('kb_attach', 'source_type', $$'dish'$$),
    ('kb_attach_agent', 'filter', $$'{"a": 1}'$$),
    ('kb_chunk', 'chunk_size', '500'), ('kb_chunk', 'chunk_overlap', '100'), ('kb_chunk', 'unit', $$'token'$$), ('kb_chunk', 'strategy', $$'markdown'$$),
    ('kb_detach', 'delete_documents', 'true'),
    ('kb_question_add', 'expected_keys', $$'{tea}'$$), ('kb_question_add', 'expected_documents', $$'{a0000000-0000-0000-0000-000000000002}'$$),
    ('kb_question_add', 'expected_texts', $$'{Tea is}'$$), ('kb_question_add', 'filter', $$'{"a": 2}'$$), ('kb_question_add', 'tags', $$'{drinks}'$$), ('kb_question_add', 'weight', '2'),
    ('kb_question_add', 'agent_id', $$kb_agent('agt_1')$$),
    ('kb_question_draft', 'question_count', '1'), ('kb_question_draft', 'use_chat_model', 'true'),
    ('kb_evaluate', 'arguments', $$'{"match_count": 1}'$$), ('kb_evaluate', 'tag', $$'drinks'$$), ('kb_evaluate', 'save_as', $$'run'$$),
    ('kb_evaluate_questions', 'arguments', $$'{"mode": "keyword"}'$$), ('kb_evaluate_questions', 'tag', $$'drinks'$$),
    ('kb_evaluate_questions', 'question_ids', $$(SELECT array_agg(id) FROM (SELECT id FROM kb_nulls.question LIMIT 1) q)$$),
    ('kb_compare', 'tag', $$'drinks'$$), ('kb_suggest', 'tag', $$'drinks'$$),
    ('kb_embed', 'model', $$'fake/test'$$), ('kb_embed', 'dimensions', '128'), ('kb_embed', 'input_type', $$'passage'$$),
    ('kb_highlight', 'start_sel', $$'['$$), ('kb_highlight', 'stop_sel', $$']'$$), ('kb_highlight', 'syntax', $$'web'$$), ('kb_highlight', 'max_chars', '5'), ('kb_highlight', 'language', $$'en'$$),
    ('kb_embed_batch', 'model', $$'fake/test'$$), ('kb_embed_batch', 'dimensions', '128'), ('kb_embed_batch', 'input_type', $$'passage'$$),
    ('kb_estimate', 'model', $$'fake/other'$$), ('kb_estimate', 'outdated', 'true'), ('kb_estimate', 'summaries', $$'corp/chat'$$), ('kb_reconcile', 'outdated', 'true'),
    ('kb_provider_set', 'kind', $$'cohere'$$), ('kb_provider_set', 'base_url', $$'http://127.0.0.1:2'$$), ('kb_provider_set', 'api_key', $$'secret:other'$$),
    ('kb_provider_set', 'headers', $$'{"X-Team": "b"}'$$), ('kb_provider_set', 'timeout', $$'6 seconds'$$), ('kb_provider_set', 'batch_items', '2'),
    ('kb_provider_set', 'batch_tokens', '2000'), ('kb_provider_set', 'batch_bytes', '20000'), ('kb_provider_set', 'price_per_million', '2'),
    ('kb_provider_grant', 'agent_id', $$kb_agent('agt_1')$$), ('kb_provider_grant', 'auto_sync', 'false'), ('kb_provider_revoke', 'agent_id', $$kb_agent('agt_1')$$),
    ('kb_provider_test', 'model', $$'a-model'$$), ('kb_prompt_set', 'version', '7'),
    ('kb_rewrite_query', 'model', $$'corp/chat'$$), ('kb_retrieve', 'session_id', $$'s'$$), ('kb_retrieve', 'agent_id', $$'agt_1'$$);
INSERT INTO others SELECT function, argument, value FROM unnest(ARRAY['kb_create', 'kb_configure']) function, (VALUES
    ('description', $$'a text'$$), ('model', $$'fake/other'$$), ('dimensions', '16'), ('chunk_size', '500'), ('chunk_overlap', '100'), ('chunk_unit', $$'token'$$),
    ('chunk_strategy', $$'markdown'$$), ('text_config', $$'german'$$), ('ranker', $$'ts_rank_cd'$$), ('index_method', $$'none'$$), ('embed', $$'queued'$$),
    ('bm25_k1', '0.9'), ('bm25_b', '0.4'), ('title_weight', '3'), ('heading_weight', '2.5'), ('match_threshold', '0.25'), ('answer_threshold', '0.35'),
    ('fold_accents', 'false'), ('part_weight', '0.75'), ('lexeme_format', '2'), ('upsert_key', 'true'), ('log_searches', 'true'), ('summaries', $$'corp/chat'$$)) a (argument, value)
    WHERE function = 'kb_configure' OR argument NOT IN ('lexeme_format', 'upsert_key', 'summaries');
INSERT INTO others SELECT function, argument, value FROM unnest(ARRAY['kb_hybrid_search', 'kb_search']) function, (VALUES
    ('knowledge_base', $$'nulls'$$), ('match_count', '1'), ('filter', $$'{"a": 2}'$$), ('source_type', $$'webpage'$$),
    ('agent_id', $$(SELECT id FROM kb_list() WHERE name = 'nulls')$$), ('query_embedding', $$'[1,0,0,0,0,0,0,0]'$$), ('keyword_weight', '2'), ('semantic_weight', '2'),
    ('ranker', $$'ts_rank_cd'$$), ('max_per_document', '1'), ('syntax', $$'web'$$), ('match_threshold', '0.999')) a (argument, value);
INSERT INTO others SELECT 'logged_search', argument, value FROM others WHERE function = 'kb_search' AND argument IN ('knowledge_base', 'match_count', 'filter', 'source_type', 'agent_id', 'max_per_document', 'syntax', 'match_threshold');
INSERT INTO others SELECT 'kb_context', argument, value FROM others WHERE function = 'kb_search'
    AND argument IN ('knowledge_base', 'match_count', 'filter', 'source_type', 'agent_id', 'query_embedding', 'match_threshold');
INSERT INTO others SELECT 'kb_search', argument, value FROM (VALUES ('neighbors', '1'), ('knowledge_bases', $$'{nulls}'$$), ('duplicates', $$'merge'$$), ('snippet', 'true')) a (argument, value);
INSERT INTO others SELECT 'kb_search_documents', argument, value FROM others WHERE function = 'kb_search' AND argument IN ('knowledge_bases', 'duplicates', 'snippet');
INSERT INTO others SELECT 'kb_explain', argument, value FROM others WHERE function = 'kb_search' AND argument NOT IN ('knowledge_base', 'neighbors', 'knowledge_bases', 'snippet');
INSERT INTO others VALUES ('kb_explain', 'chunk_id', '(SELECT id FROM kb_nulls.chunk LIMIT 1)'), ('kb_explain', 'mode', $$'keyword'$$), ('kb_explain', 'fusion', $$'rrf'$$), ('kb_explain', 'rrf_k', '60'), ('kb_explain', 'match_offset', '1');
INSERT INTO others VALUES ('kb_context', 'neighbors', '1'), ('kb_context', 'knowledge_bases', $$'{nulls}'$$), ('kb_context', 'duplicates', $$'keep'$$), ('kb_context', 'whole_document', 'true');
INSERT INTO others VALUES ('kb_context', 'mode', $$'semantic'$$), ('kb_context', 'style', $$'source'$$), ('kb_context', 'max_chars', '30'),
    ('kb_call_tool', 'agent_id', $$(SELECT id FROM kb_list() WHERE name = 'nulls')$$), ('kb_call_tool', 'session_id', $$'s'$$),
    ('logged_search', 'session_id', $$'s'$$), ('logged_search', 'mode', $$'keyword'$$), ('logged_search', 'fusion', $$'rrf'$$),
    ('logged_search', 'neighbors', '1'), ('logged_search', 'knowledge_bases', $$'{nulls}'$$), ('logged_search', 'duplicates', $$'merge'$$), ('logged_search', 'snippet', 'true'),
    ('kb_snippets', 'agent_id', $$(SELECT id::text FROM kb_list() WHERE name = 'nulls')$$), ('kb_snippets', 'session_id', $$'s'$$), ('kb_snippets', 'top_k', '1'), ('kb_snippets', 'fallback_base', $$'nulls', agent_id => 'nobody'$$);
INSERT INTO others SELECT 'kb_search_documents', argument, value FROM others
WHERE function = 'kb_search' AND argument IN ('knowledge_base', 'match_count', 'filter', 'source_type', 'agent_id', 'query_embedding', 'match_threshold');
INSERT INTO others VALUES ('kb_search_documents', 'mode', $$'keyword'$$), ('kb_search_documents', 'level', $$'abstract'$$);
-- rrf_k does not matter to the default fusion of kb_search, unless it is out of range.
INSERT INTO others VALUES ('kb_search', 'mode', $$'keyword'$$), ('kb_search', 'fusion', $$'rrf'$$), ('kb_search', 'rrf_k', '-1'),
    ('kb_hybrid_search', 'fusion', $$'relative'$$), ('kb_hybrid_search', 'rrf_k', '20'),
    ('match_knowledge_chunks', 'p_match_count', '1'), ('match_knowledge_chunks', 'p_match_threshold', '0.999');

-- The result of a call with these further arguments, or how it fails. It is rolled back, so that every call finds the same.
CREATE FUNCTION outcome(of text, further text, OUT state text, OUT result text) LANGUAGE plpgsql AS $$
DECLARE
    c calls;
BEGIN
    SELECT * INTO STRICT c FROM calls WHERE function = of;
    IF c.before IS NOT NULL THEN
        EXECUTE c.before;
    END IF;
    EXECUTE format(c.call, further) INTO STRICT result;
    IF c.shown IS NOT NULL THEN
        EXECUTE c.shown INTO STRICT result;
    END IF;
    state := '00000';
    RAISE EXCEPTION SQLSTATE 'KBOUT';
EXCEPTION
    WHEN SQLSTATE 'KBOUT' THEN
        NULL;
    WHEN OTHERS THEN
        state := SQLSTATE;
        result := SQLERRM;
END
$$;

-- Its settings are neither those of a new base nor those that the calls set: kb_configure keeps them by default. (The unit
-- 'token' needs another model.)
SELECT kb_create('nulls', description => 'before', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20, chunk_strategy => 'text',
    text_config => 'simple', ranker => 'ts_rank', index_method => 'hnsw', embed => 'inline', bm25_k1 => 2, bm25_b => 0.2, title_weight => 4, heading_weight => 5, match_threshold => -0.9) IS NOT NULL AS created;
CREATE TABLE dishes (id int PRIMARY KEY, headline text, body text, topic text);
INSERT INTO dishes VALUES (1, 'Tea', 'Tea needs four minutes.', 'drinks'), (2, 'Bread', 'Bread needs an hour.', 'food');
INSERT INTO dishes SELECT n, NULL, 'Dish ' || n || '.', 'food' FROM generate_series(3, 60) n;
SELECT kb_secret_set('key', 'k', 'http://127.0.0.1:1');
SELECT kb_provider_set('corp', 'ollama', 'http://127.0.0.1:1', 'secret:key', '{"X-Team": "a"}', '5 seconds', 1, 1000, 10000, 1);

-- Every argument by itself. Without it and with NULL is the same, which is known where the default is NULL; with another value it
-- is not. In one transaction, whose time the rows hold.
BEGIN;
CREATE TABLE bare AS SELECT function, o.state, o.result FROM (SELECT DISTINCT function FROM defaulted WHERE kind = 'f') f, outcome(function, '') o;
SELECT function, argument, bare.state, is_null OR (bare.state, bare.result) IS NOT DISTINCT FROM (with_null.state, with_null.result) AS null_is_default,
    other.state AS state_of_other, (other.state, other.result) IS DISTINCT FROM (bare.state, bare.result) AS matters
FROM defaulted JOIN bare USING (function) LEFT JOIN others USING (function, argument)
LEFT JOIN LATERAL outcome(function, format(', %I => NULL', argument)) with_null ON NOT is_null
LEFT JOIN LATERAL outcome(function, format(', %I => %s', argument, value)) other ON true
ORDER BY function COLLATE "C", place;

-- All of them at once, by place.
SELECT function, count(*) AS arguments, outcome(function, string_agg(', NULL', '')) = (bare.state, bare.result) AS nulls_are_defaults
FROM defaulted JOIN bare USING (function) GROUP BY function, bare.state, bare.result ORDER BY function COLLATE "C";
COMMIT;

-- Nothing was left behind.
SELECT count(*) FROM kb_nulls.document;
SELECT name FROM kb_list();

-- An argument without a default still needs a value.
SELECT state, message FROM error_of($$SELECT kb_add('nulls', NULL, metadata => NULL)$$);
SELECT state, message FROM error_of($$SELECT kb_chunk(NULL, NULL, NULL, NULL, NULL)$$);
-- So does each element of an array.
SELECT state, message FROM error_of($$SELECT kb_attach('dishes', 'nulls', 'body', metadata => '{NULL}')$$);

-- The same in a prepared statement, as drivers send it.
PREPARE add (text, text, text, text, text, jsonb) AS SELECT kb_add($1, $2, title => $3, source_key => $4, source_type => $5, metadata => $6) IS NOT NULL AS added;
EXECUTE add ('nulls', 'A text.', NULL, NULL, NULL, NULL);
SELECT title, source_key, source_type, metadata FROM kb_nulls.document;

-- Procedures work in transactions of their own.
SELECT function, argument FROM defaulted WHERE kind <> 'f';
SELECT kb_configure('nulls', embed => 'queued');
CREATE VIEW waiting AS SELECT count(*) FILTER (WHERE status = 'pending') > 0 AS some_wait FROM kb_nulls.document;
INSERT INTO kb_nulls.document (content) SELECT 'text ' || n FROM generate_series(1, 300) n;
CALL kb_work(0);
SELECT * FROM waiting;
CALL kb_work(max_seconds => NULL);
SELECT * FROM waiting;
INSERT INTO kb_nulls.document (content) SELECT 'more ' || n FROM generate_series(1, 300) n;
SELECT * FROM waiting;
CALL kb_work();
SELECT * FROM waiting;

DEALLOCATE add;
DROP VIEW waiting, defaulted;
SELECT kb_drop('nulls');
SELECT kb_provider_drop('corp');
SELECT kb_secret_drop('key');
DROP TABLE bare, calls, others, dishes;
DROP FUNCTION outcome;
RESET client_min_messages;
