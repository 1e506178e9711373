-- The parts of a search over several nodes, asked for by hand as other nodes do. tests/citus has whole searches.
SET client_min_messages = warning;
CREATE ROLE kb_test215_reader;
CREATE ROLE kb_test215_tenant;
SELECT kb_create('tea', model => 'fake/test', dimensions => 8, match_threshold => 0.25) IS NOT NULL AS tea,
    kb_create('cups', model => 'fake/test', dimensions => 8, text_config => 'german', log_searches => true) IS NOT NULL AS cups;
SELECT kb_add('tea', 'Green tea is hot. Model TX-200 brews it.', 'Green', 'green', 'note', metadata => '{"year": 2024, "big": 12345678901234567890.10}') IS NOT NULL AS green,
    kb_add('tea', 'Black tea is bitter.', 'Black', 'black', metadata => '{"year": 2020, "tenant": "kb_test215_tenant"}') IS NOT NULL AS black,
    kb_add('cups', 'Tassen für grünen Tee und tea.', 'Tassen', 'tassen') IS NOT NULL AS tassen;
SELECT kb_grant('tea', 'kb_test215_reader', 'read'), kb_grant('tea', 'kb_test215_tenant', 'read');
CREATE FUNCTION question(query text, mode text DEFAULT 'Hybrid', more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql
RETURN jsonb_build_object('query', query, 'mode', mode, 'is_web', false, 'ranker', 'bm25') || more;
CREATE FUNCTION statistics(question jsonb, scope jsonb, names text[] DEFAULT '{}') RETURNS jsonb LANGUAGE sql
RETURN kb_rag.part_statistics(jsonb_build_array(1, jsonb_build_object('question', question, 'scope', scope), jsonb_build_object('names', names)));
CREATE FUNCTION hex(id uuid) RETURNS text LANGUAGE sql RETURN replace(id::text, '-', '');
CREATE FUNCTION chunk(base text, key text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE id uuid; BEGIN
    EXECUTE format('SELECT c.id FROM kb_%s.chunk c JOIN kb_%1$s.document d ON d.id = c.document_id WHERE d.source_key = $1', base) INTO id USING key;
    RETURN public.hex(id);
END $$;
CREATE FUNCTION ids(names text[]) RETURNS jsonb LANGUAGE sql SECURITY DEFINER
RETURN (SELECT jsonb_agg(public.hex(id) ORDER BY name DESC) FROM kb_rag.knowledge_base WHERE name = ANY (names));
-- The answers to some questions, with the names of chunks in place of their ids. 0 is tea, 1 is cups.
CREATE FUNCTION told(question jsonb, asks jsonb, "with" jsonb DEFAULT '{}', vectors jsonb DEFAULT '[]', agent text DEFAULT NULL, names text[] DEFAULT '{tea,cups}') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE answer text; BEGIN
    answer := kb_rag.part_candidates(jsonb_build_array(1, jsonb_build_object('question', question, 'agent', agent, 'chunks', '30', 'length', '300',
        'frequencies', '[["tea", "3"], ["hot", "1"], ["bitter", "1"]]'::jsonb, 'vectors', vectors,
        'with', '{"coverage": false, "held": false, "scores": false, "documents": false, "texts": false}'::jsonb || "with"),
        jsonb_build_object('bases', ids(names), 'asks', asks))) #>> '{1,told}';
    answer := replace(replace(replace(answer, chunk('tea', 'green'), 'GREEN'), chunk('tea', 'black'), 'BLACK'), chunk('cups', 'tassen'), 'TASSEN');
    answer := regexp_replace(answer, '[0-9a-f]{64}', 'DIGEST', 'g');
    -- The last digits depend on the machine.
    answer := regexp_replace(regexp_replace(answer, '"-?[0-9.]+e-[0-9]+"', '"0.0"', 'g'), '"(-?[0-9]+\.[0-9]{1,4})[0-9]*"', '"\1"', 'g');
    answer := regexp_replace(answer, '"microseconds": [0-9]+', '"microseconds": 0', 'g');
    RETURN QUERY SELECT jsonb_array_elements(regexp_replace(answer, '"[0-9a-f]{32}"', '"DOCUMENT"', 'g')::jsonb)::text;
END $$;
-- Statistics: the bases in scope, in the order of names, or all of the caller.
SELECT b - 'id' AS base FROM jsonb_array_elements(statistics(question('hot tea'), '"Names"', '{cups,tea}') #> '{1,of}') b;
SELECT b ->> 'name' AS name, b -> 'chunks' AS chunks, b -> 'frequencies' AS frequencies, b -> 'has_words' AS words FROM jsonb_array_elements(statistics(question('the'), '{"All": {"leaves_out_untrusted": true}}') #> '{1,of}') b;
SELECT jsonb_array_length(statistics(question('bitter', 'Semantic'), '{"All": {"leaves_out_untrusted": false}}') #> '{1,of}') AS bases;
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000215', 'tea', '{"year": 2020}');
SELECT b ->> 'name' AS name FROM jsonb_array_elements(statistics(question('tea'), '{"Agent": "a0000000000000000000000000000215"}') #> '{1,of}') b;
-- Candidates: each action has its own answer.
SELECT told(question('tea'), '[{"keyword": {"base": 0, "depth": 5, "needed": 5}}, {"keyword": {"base": 0, "depth": 1, "needed": 1}}, {"keyword": {"base": 1, "depth": 5, "needed": 5}}]');
SELECT told(question('hot tea'), '[{"keyword": {"base": 0, "depth": 5, "needed": 5}}]', '{"coverage": true, "held": true, "documents": true, "texts": true}');
SELECT told(question('hot tea'), jsonb_build_array(
    jsonb_build_object('coverage', jsonb_build_object('base', 0, 'ids', jsonb_build_array(chunk('tea', 'black')))),
    jsonb_build_object('held', jsonb_build_object('base', 0, 'ids', jsonb_build_array(chunk('tea', 'black'), chunk('tea', 'green')))),
    jsonb_build_object('keyword_scores', jsonb_build_object('base', 0, 'ids', jsonb_build_array(chunk('tea', 'black'), chunk('cups', 'tassen')))),
    jsonb_build_object('read', jsonb_build_object('base', 0, 'ids', jsonb_build_array(chunk('tea', 'black')))),
    jsonb_build_object('documents', jsonb_build_object('base', 1, 'ids', jsonb_build_array(chunk('cups', 'tassen')))),
    jsonb_build_object('texts', jsonb_build_object('base', 1, 'ids', jsonb_build_array(chunk('cups', 'tassen'), chunk('tea', 'green')))),
    jsonb_build_object('places', jsonb_build_object('base', 1, 'ids', jsonb_build_array(chunk('cups', 'tassen')), 'window', '{"Neighbors": 1}'::jsonb)),
    '{"queue": {"base": 1}}'::jsonb, '{"lacking": {"base": 0}}'::jsonb));
SELECT kb_rag.part_candidates(jsonb_build_array(1, jsonb_build_object('question', question('hot tea'), 'agent', NULL, 'chunks', '0', 'length', '0', 'frequencies', '[]'::jsonb, 'vectors', '[]'::jsonb,
    'with', '{"coverage": false, "held": false, "scores": false, "documents": false, "texts": false}'::jsonb), jsonb_build_object('bases', ids('{cups}'), 'asks', '[{"open": {"base": 0, "checks_question": true}}]'::jsonb))) #>> '{1,told,0,opened,vector}' AS vector \gset
SELECT length(:'vector') AS digits;
SELECT jsonb_build_array(jsonb_build_object('model', 'fake/test', 'dimensions', 8, 'vector', :'vector')) AS vectors \gset
SELECT told(question('hot tea'), jsonb_build_array('{"nearest": {"base": 0, "depth": 5, "candidates": 10}}'::jsonb,
    jsonb_build_object('similarities', jsonb_build_object('base', 1, 'ids', jsonb_build_array(chunk('cups', 'tassen'), chunk('tea', 'green'))))), '{"scores": true}', :'vectors');
SELECT told(question('hot tea', 'Semantic'), '[{"nearest": {"base": 0, "depth": 1, "candidates": 10}}]', '{}', :'vectors');
-- They are what a search finds.
SELECT (told(question('tea'), '[{"keyword": {"base": 0, "depth": 9, "needed": 9}}]')::jsonb #>> '{found,hits,0,id}') = 'BLACK' AS first_by_keyword;
-- Filters of the question and of the agent.
SELECT told(question('tea', more => '{"filter": "{\"year\": {\"$gt\": 2021}}"}'), '[{"keyword": {"base": 0, "depth": 5, "needed": 5}}]');
SELECT told(question('tea', more => '{"source_type": "note"}'), '[{"keyword": {"base": 0, "depth": 5, "needed": 5}}]');
SELECT told(question('"tea is" -hot', more => '{"is_web": true}'), '[{"keyword": {"base": 0, "depth": 5, "needed": 5}}]');
SELECT * FROM error_of($$SELECT told(question('tea'), '[{"keyword": {"base": 0, "depth": 5, "needed": 5}}]', agent => 'a0000000000000000000000000000215')$$);
-- Rows, with numbers as they were written; one that is gone is left out.
CREATE FUNCTION part_rows(rows jsonb, copies jsonb DEFAULT '[]', more jsonb DEFAULT '{}', base text DEFAULT 'tea') RETURNS jsonb LANGUAGE sql
RETURN kb_rag.part_rows(jsonb_build_array(1, jsonb_build_object('question', question('hot tea'), 'agent', NULL, 'window', NULL, 'has_snippets', true) || more,
    jsonb_build_object('bases', ids('{tea,cups}'), 'rows', rows, 'copies', copies))) -> 1;
SELECT r - 'id' - 'document_id' - 'metadata' AS row, (r ->> 'metadata')::jsonb -> 'big' AS big FROM jsonb_array_elements(part_rows(jsonb_build_array(
    jsonb_build_object('base', 0, 'id', chunk('tea', 'green'), 'similarity', '0.5', 'window', NULL),
    jsonb_build_object('base', 0, 'id', chunk('cups', 'tassen'), 'similarity', NULL, 'window', NULL))) -> 'rows') r;
SELECT c ->> 'source' AS copy FROM jsonb_array_elements(part_rows('[]', jsonb_build_array(jsonb_build_array(1, chunk('cups', 'tassen')))) -> 'copies') c;
-- Why nothing is found.
CREATE FUNCTION hint(hint jsonb, names text[] DEFAULT '{tea,cups}', is_named boolean DEFAULT true) RETURNS jsonb LANGUAGE sql
RETURN kb_rag.part_hints(jsonb_build_array(1, jsonb_build_object('agent', NULL, 'is_named', is_named, 'hints', jsonb_build_array(hint)), jsonb_build_object('bases', ids(names)))) -> 1 -> 0;
SELECT hint('{"source_types": "nothing"}') AS others, hint('{"source_types": "note"}') AS is_there;
SELECT hint('{"keys": {"path": [], "wanted": {"year": null, "tenant": "KB_TEST215_TENANT"}}}') AS keys;
SELECT hint('"waiting"') AS waiting;
-- Once all bases are known to be empty, the other questions are not answered.
SELECT kb_rag.part_hints(jsonb_build_array(1, '{"agent": null, "is_named": true, "hints": ["empty", "waiting"]}'::jsonb, jsonb_build_object('bases', ids('{tea,cups}')))) AS of_two,
    kb_rag.part_hints(jsonb_build_array(1, '{"agent": null, "is_named": true, "hints": ["empty", "waiting"]}'::jsonb, '{"bases": []}'::jsonb)) AS of_none;
SELECT state, message FROM error_of($$SELECT kb_rag.part_hints('[1, {"agent": null, "is_named": true, "hints": ["empty", "empty", "empty", "empty"]}, {"bases": []}]')$$);
-- Only what was begun ends.
SELECT state, message, hint FROM error_of($$SELECT kb_rag.vouch(-1, false)$$);
-- Documents.
CREATE FUNCTION documents(common jsonb, "of" jsonb DEFAULT '[]') RETURNS jsonb LANGUAGE sql
RETURN kb_rag.part_documents(jsonb_build_array(1, common, jsonb_build_object('of', "of"))) -> 1;
CREATE FUNCTION details(more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql
RETURN jsonb_build_object('details', '{"agent": null, "is_named": true, "level": "content", "counts_chunks": true}'::jsonb || more);
CREATE FUNCTION document(base text, key text) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE id uuid; BEGIN
    EXECUTE format('SELECT id FROM kb_%s.document WHERE source_key = $1', base) INTO id USING key;
    RETURN jsonb_build_array(jsonb_build_array(public.ids(ARRAY[base]) -> 0, jsonb_build_array(public.hex(id))));
END $$;
SELECT documents('"counts"');
SELECT state, message FROM error_of($$SELECT kb_rag.part_documents('[1, "counts", {"of": []}, 7]')$$);
SELECT b ->> 'name' AS name, jsonb_array_length(b -> 'places') AS documents FROM jsonb_array_elements(documents('{"newest": {"source_type": null, "filter": "{\"year\": {\"$gt\": 2019}}", "max": 9}}') #> '{newest,of}') b;
SELECT d - 'id' - 'created_at' - 'updated_at' - 'metadata' AS document, (d ->> 'metadata')::jsonb -> 'big' AS big FROM jsonb_array_elements(documents(details(), document('tea', 'green')) #> '{details,of}') d;
-- As many as an answer takes.
SET kb_rag.test_limits = 'max_answer_text=1';
SELECT told #>> '{of,0,title}' AS title, told #>> '{rest,0,0}' AS base, told #> '{rest,0,1}' = document('cups', 'tassen') #> '{0,1,0}' AS is_rest FROM (SELECT documents(details(), document('tea', 'green') || document('cups', 'tassen')) -> 'details' AS told) d;
RESET kb_rag.test_limits;
SELECT documents(jsonb_build_object('holders', jsonb_build_object('document', document('tea', 'green') #> '{0,1,0}', 'notifies', true)));
SELECT state, message FROM error_of($$SELECT documents(details(more => '{"level": "all"}'), document('tea', 'green'))$$);
SELECT state, message FROM error_of($$SELECT documents(details(), jsonb_build_array(jsonb_build_array(ids('{tea}') -> 0, (SELECT jsonb_agg(hex(gen_random_uuid())) FROM generate_series(1, 10001)))))$$);
-- Tools.
CREATE FUNCTION tools(ask jsonb, agent text DEFAULT NULL, names text[] DEFAULT '{}') RETURNS jsonb LANGUAGE sql
RETURN kb_rag.part_tools(jsonb_build_array(1, jsonb_build_object('agent', agent, 'ask', ask), jsonb_build_object('bases', coalesce(ids(names), '[]')))) -> 1;
SELECT b - 'id' AS base FROM jsonb_array_elements(tools('"bases"') #> '{bases,of}') b;
SELECT tools(jsonb_build_object('read', document('tea', 'green') #> '{0,1,0}'), names => '{tea,cups}') #>> '{read,title}' AS title;
SELECT tools(jsonb_build_object('read', document('tea', 'green') #> '{0,1,0}'), names => '{cups}') AS elsewhere;
-- Another protocol, and what is no request.
SELECT function, e.state, e.message, e.detail, e.hint FROM unnest('{part_statistics,part_candidates,part_rows,part_hints,part_documents,part_tools}'::text[]) function,
    LATERAL error_of(format('SELECT kb_rag.%I(%L)', function, '[2, {}, {}]')) e;
SELECT function, request, e.state, e.message FROM unnest('{part_statistics,part_candidates,part_rows,part_hints,part_documents,part_tools}'::text[]) function, unnest('{"{}", "[]", "[1]", "[1, {}, {}]", "[-1, {}]", "[\"1\"]"}'::text[]) request,
    LATERAL error_of(format('SELECT kb_rag.%I(%L)', function, request)) e;
SELECT * FROM error_of('SELECT kb_rag.part_rows(NULL)');
SELECT state, message FROM error_of('SELECT kb_rag.part_hints(NULL)') UNION ALL SELECT state, message FROM error_of('SELECT kb_rag.part_documents(NULL)') UNION ALL SELECT state, message FROM error_of('SELECT kb_rag.part_tools(NULL)');
SELECT state, message, hint FROM error_of($$SELECT told(question('tea'), '[{"queue": {"base": 2}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea', 'Semantic'), '[{"lacking": {"base": 0}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"nearest": {"base": 0, "depth": 5, "candidates": 10}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"nearest": {"base": 0, "depth": 5, "candidates": 10}}]', '{}', '[{"model": "fake/test", "dimensions": 8, "vector": "0000803f"}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea', more => '{"ranker": "best"}'), '[]')$$);
SELECT state, message FROM error_of($$SELECT statistics(question('tea'), '"Names"', '{nothing}')$$);
SELECT state, message FROM error_of($$SELECT kb_rag.part_rows(jsonb_build_array(1, jsonb_build_object('question', question('tea'), 'agent', NULL, 'window', NULL, 'has_snippets', true),
    jsonb_build_object('bases', (SELECT jsonb_agg(hex(gen_random_uuid())) FROM generate_series(1, 65)), 'rows', '[]'::jsonb, 'copies', '[]'::jsonb)))$$);
SELECT state, message FROM error_of($$SELECT kb_rag.part_rows(jsonb_build_array(1, jsonb_build_object('question', question('tea'), 'agent', NULL, 'window', NULL, 'has_snippets', true),
    jsonb_build_object('bases', jsonb_build_array(hex(gen_random_uuid())), 'rows', '[]'::jsonb, 'copies', '[]'::jsonb)))$$);
-- More than a search asks for.
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"keyword": {"base": 0, "depth": 9223372036854775808, "needed": 1}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"nearest": {"base": 0, "depth": 5, "candidates": 4294967295}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), (SELECT jsonb_agg('{"queue": {"base": 0}}'::jsonb) FROM generate_series(1, 27)))$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"open": {"base": 0, "checks_question": true}}, {"open": {"base": 1, "checks_question": true}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"places": {"base": 0, "ids": [], "window": {"Neighbors": 101}}}]')$$);
SELECT state, message FROM error_of($$SELECT part_rows('[]', more => '{"window": {"Neighbors": 101}}')$$);
SELECT state, message FROM error_of($$SELECT part_rows((SELECT jsonb_agg(jsonb_build_object('base', 0, 'id', chunk('tea', 'green'), 'similarity', NULL, 'window', NULL)) FROM generate_series(1, 2)))$$);
-- Readers get the parts of what they may read; and row security holds.
SET ROLE kb_test215_reader;
-- A base that it may not read is as one that is not there.
SELECT state, message FROM error_of($$SELECT part_rows('[]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[]')$$);
SELECT told(question('tea'), '[]', names => '{tea}');
SELECT b ->> 'name' AS name, b -> 'chunks' AS chunks FROM jsonb_array_elements(statistics(question('tea'), '{"All": {"leaves_out_untrusted": true}}') #> '{1,of}') b;
SELECT statistics(question('tea'), '{"All": {"leaves_out_untrusted": true}}') #> '{1,circle}' AS circle;
SELECT documents(jsonb_build_object('holders', jsonb_build_object('document', document('tea', 'green') #> '{0,1,0}', 'notifies', false))) AS own,
    documents(jsonb_build_object('holders', jsonb_build_object('document', document('cups', 'tassen') #> '{0,1,0}', 'notifies', false))) AS other;
SELECT state, message FROM error_of($$SELECT statistics(question('tea'), '"Names"', '{tea,cups}')$$);
SELECT state, message FROM error_of($$SELECT statistics(question('tea', 'Semantic'), '"Names"', '{cups}')$$);
SELECT told(question('tea'), '[{"keyword": {"base": 0, "depth": 1, "needed": 1}}]', names => '{tea}');
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"keyword": {"base": 0, "depth": 1, "needed": 1}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea', 'Semantic'), '[{"open": {"base": 1, "checks_question": true}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"queue": {"base": 1}}]')$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), jsonb_build_array(jsonb_build_object('documents', jsonb_build_object('base', 1, 'ids', jsonb_build_array(chunk('cups', 'tassen'))))))$$);
SELECT state, message FROM error_of($$SELECT told(question('tea'), '[{"keyword": {"base": 1, "depth": 1, "needed": 1}}]')$$);
SELECT hint('{"source_types": "nothing"}', '{tea}'), e.state FROM error_of($$SELECT hint('{"source_types": "nothing"}')$$) e;
SELECT documents('"counts"'), e.state FROM error_of($$SELECT documents(details(), document('cups', 'tassen'))$$) e;
SELECT tools('"bases"') #>> '{bases,of,0,name}' AS base, e.state FROM error_of($$SELECT tools(jsonb_build_object('read', document('cups', 'tassen') #> '{0,1,0}'), names => '{cups}')$$) e;
RESET ROLE;
ALTER TABLE kb_tea.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kb_tea.document USING (metadata ->> 'tenant' = current_user);
SELECT kb_grant('cups', 'kb_test215_tenant', 'read');
SET ROLE kb_test215_tenant;
SELECT b ->> 'name' AS name, b -> 'chunks' AS chunks, b -> 'frequencies' AS frequencies FROM jsonb_array_elements(statistics(question('hot tea'), '"Names"', '{tea}') #> '{1,of}') b;
SELECT told(question('hot tea'), '[{"keyword": {"base": 0, "depth": 5, "needed": 5}}]');
-- Chunks that it may not see are as if they were not there, whatever is asked about them.
SELECT a.ask, told(question('hot tea'), jsonb_build_array(jsonb_build_object(a.ask, jsonb_build_object('base', 0, 'ids', jsonb_build_array(chunk('tea', 'green'), chunk('tea', 'black')), 'window', '{"Neighbors": 1}'::jsonb))), '{}', :'vectors')
FROM unnest('{coverage,held,similarities,keyword_scores,read,documents,texts,places}'::text[]) a (ask);
SELECT told(question('hot tea'), '[{"nearest": {"base": 0, "depth": 5, "candidates": 10}}]', '{}', :'vectors');
SELECT jsonb_array_length(part_rows(jsonb_build_array(
    jsonb_build_object('base', 0, 'id', chunk('tea', 'green'), 'similarity', '0.5', 'window', NULL),
    jsonb_build_object('base', 0, 'id', chunk('tea', 'black'), 'similarity', '0.5', 'window', NULL))) -> 'rows') AS rows;
SELECT documents('"counts"');
SELECT hint('{"source_types": "nothing"}', '{tea}') AS types, hint('{"keys": {"path": [], "wanted": {"year": null, "tenant": "KB_TEST215_TENANT"}}}', '{tea}') AS keys;
SELECT documents(details(), document('tea', 'green')) AS green, documents(details(), document('tea', 'black')) #>> '{details,of,0,title}' AS black;
SELECT state, message FROM error_of($$SELECT documents(details(more => '{"is_named": false}'), document('tea', 'black'))$$);
SELECT state, message FROM error_of($$SELECT tools(jsonb_build_object('read', document('tea', 'black') #> '{0,1,0}'), names => '{tea}')$$);
RESET ROLE;
DROP FUNCTION hint, documents, details, document, tools, part_rows, told, ids, chunk, hex, statistics, question;
SELECT kb_drop('tea'), kb_drop('cups');
DROP OWNED BY kb_test215_reader, kb_test215_tenant;
DROP ROLE kb_test215_reader, kb_test215_tenant;
