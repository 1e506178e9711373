-- Questions of one's own, and what searches make of them.
SET client_min_messages = warning;
SELECT FROM kb_create('ev', model => 'fake/e8', dimensions => 8);
SELECT FROM kb_add('ev', 'Refunds are paid within thirty days.', 'Refund', source_key => 'refund');
SELECT FROM kb_add('ev', repeat('The long manual speaks about pumps and valves. ', 60) || E'Turn the red\n  handle twice to drain it. ' || repeat('Then comes more about pumps. ', 60), 'Manual', source_key => 'manual');
SELECT FROM kb_add('ev', 'The drain of the kitchen.', 'Kitchen', source_key => 'kitchen', metadata => '{"room": "kitchen"}');
SELECT FROM kb_add('ev', 'Two documents have this key.', 'One', source_key => 'shared');
SELECT FROM kb_add('ev', 'Two documents share this key indeed.', 'Two', source_key => 'shared', source_type => 'webpage');

-- Nothing before the first question.
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_evaluate('ev')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_compare('ev', '{}', '{}')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_suggest('ev')$$);
CREATE TABLE kb_ev.question (mine int);
SELECT state, message, hint FROM error_of($$SELECT kb_question_add('ev', 'Is this taken?')$$);
DROP TABLE kb_ev.question;

-- One by one, by INSERT and by COPY.
SELECT FROM kb_question_add('ev', 'refunds paid', expected_keys => '{refund}');
SELECT FROM kb_question_add('ev', 'red handle', expected_texts => ARRAY[E'Turn the red handle\ttwice to drain it.'], tags => '{quote}');
SELECT FROM kb_question_add('ev', 'who won the cup');
INSERT INTO kb_ev.question (question, expected_documents) SELECT 'drain', ARRAY[id] FROM kb_ev.document WHERE source_key = 'kitchen';
COPY kb_ev.question (question, expected_keys, tags, weight) FROM stdin;
share key	{shared}	{key}	2
pumps	{nowhere}	{gone}	1
\.
-- Not what nobody sees: no key, no document, no text.
-- A notice names each key and each id that no document has, and one says that the question is there. A role that may not read documents gets none.
BEGIN;
SET LOCAL client_min_messages = notice;
SELECT FROM kb_question_add('ev', 'money', expected_keys => '{refund,refnud,refnud}', expected_documents => '{a0000000-0000-0000-0000-000000000009}');
SELECT FROM kb_question_add('ev', 'refunds paid', expected_keys => '{refund}');
SELECT FROM kb_question_add('ev', 'refunds paid', expected_keys => '{refund}', filter => '{"a": 1}');
SELECT FROM kb_question_add('ev', 'new', expected_documents => ARRAY[kb_add('ev', 'Added in the same statement.')]);
SELECT FROM kb_question_add('ev', 'a value that was missing', expected_keys => NULL);
SELECT FROM kb_question_add('ev', 'not missed', expected_keys => NULL, expected_texts => '{Refunds are paid}');
CREATE ROLE regress_ev_admin;
GRANT CREATE, USAGE ON SCHEMA kb_ev TO regress_ev_admin;
GRANT SELECT, INSERT ON kb_ev.question TO regress_ev_admin;
SET LOCAL ROLE regress_ev_admin;
SELECT FROM kb_question_add('ev', 'lost money', expected_keys => '{refnud}');
ROLLBACK;
SELECT FROM kb_question_add('ev', 'pumps', expected_texts => '{There is no such text.}', tags => '{gone}');
INSERT INTO kb_ev.question (question, expected_documents, tags) VALUES ('pumps', '{a0000000-0000-0000-0000-000000000001}', '{gone}');

SELECT questions, missing, without_answer, first_hit, hits_5, hits_k, round(mrr::numeric, 4) AS mrr, round(ndcg_10::numeric, 4) AS ndcg_10, answered_by_mistake, refused_by_mistake, milliseconds > 0 AS takes_time
FROM kb_evaluate('ev', '{"mode": "keyword"}');
SELECT question, weight, rank, found_by, jsonb_array_length(before) AS before, missing, expects_nothing, round(mrr::numeric, 4) AS mrr, round(ndcg_10::numeric, 4) AS ndcg_10
FROM kb_evaluate_questions('ev', '{"mode": "keyword"}');
SELECT question, rank FROM kb_evaluate_questions('ev', '{"mode": "keyword"}', question_ids => (SELECT array_agg(id) FROM kb_ev.question WHERE question = 'drain'));
-- Another chunk size does not change what is right.
SELECT kb_configure('ev', chunk_size => 120, chunk_overlap => 0);
SELECT question, rank FROM kb_evaluate_questions('ev', '{"mode": "keyword"}', 'quote');
SELECT kb_configure('ev', chunk_size => 1000, chunk_overlap => 0);
SELECT question, rank FROM kb_evaluate_questions('ev', '{"mode": "keyword"}', 'quote');
-- A filter of the question and one of the arguments both apply; the results before the right one are listed.
SELECT question, rank, before->0->>'title' AS first FROM kb_evaluate_questions('ev', '{"mode": "keyword", "filter": {"room": "kitchen"}}') WHERE question IN ('drain', 'red handle');
UPDATE kb_ev.question SET filter = '{"room": "bath"}' WHERE question = 'drain';
SELECT question, rank FROM kb_evaluate_questions('ev', '{"mode": "keyword", "filter": {"room": "kitchen"}}') WHERE question = 'drain';
UPDATE kb_ev.question SET filter = '{}' WHERE question = 'drain';
-- An agent asks only in what it is attached to.
SELECT kb_attach_agent(kb_agent('plumber'), 'ev', '{"room": "kitchen"}');
UPDATE kb_ev.question SET agent_id = kb_agent('plumber') WHERE question IN ('drain', 'refunds paid');
SELECT question, rank FROM kb_evaluate_questions('ev', '{"mode": "keyword"}') WHERE question IN ('drain', 'refunds paid');
UPDATE kb_ev.question SET agent_id = NULL;

-- Results are counted by document: five chunks of the manual are one.
SELECT FROM kb_add('ev', 'Pumps, at last, in a document of their own.', 'Pumps', source_key => 'pumps');
SELECT FROM kb_question_add('ev', 'more about pumps', expected_keys => '{pumps}', tags => '{counted}');
SELECT rank, jsonb_array_length(before) > 1 AS has_more_chunks_before FROM kb_evaluate_questions('ev', '{"mode": "keyword"}', 'counted');

-- Arguments as mistaken as they come.
SELECT arguments, state, message, hint FROM unnest(ARRAY['{"fusio": "rrf"}', '{"elephant": 1}', '{"query": "x"}', '{"knowledge_base": "ev"}', '{"match_count": "5"}', '{"match_count": 0}', '{"match_count": 1.5}',
    '{"mode": "fast"}', '{"filter": []}', '{"agent_id": "plumber"}', '{"keyword_weight": -1}', '{"rrf_k": 1e9}', '[]', '[1]', '"x"', 'null', '{"neighbors": 1000}']) arguments,
    error_of(format('SELECT * FROM kb_evaluate(%L, %L)', 'ev', arguments));
SELECT arguments, state FROM unnest(ARRAY['{"mode": null}', '{"fusion": "rrf", "rrf_k": 60, "keyword_weight": 0.5, "semantic_weight": 2, "max_per_document": 1, "syntax": "web", "ranker": "bm25", "source_type": "document", "match_threshold": 0.1, "neighbors": 1, "duplicates": "merge", "match_count": 3}']) arguments,
    error_of(format('SELECT * FROM kb_evaluate(%L, %L)', 'ev', arguments));
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_evaluate('ev', tag => 'nobody')$$);
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_evaluate_questions('ev', question_ids => '{00000000-0000-0000-0000-000000000000}')$$);
SELECT call, state, message FROM unnest(ARRAY[$$'ev', ''$$, $$'ev', repeat('x', 65537)$$, $$'ev', 'q', weight => 0$$, $$'ev', 'q', weight => 'NaN'$$, $$'ev', 'q', expected_texts => '{" "}'$$, $$'ev', 'q', expected_keys => '{NULL}'$$, $$'ev', 'q', filter => '[]'$$, $$'nowhere', 'q'$$, $$NULL, 'q'$$]) call,
    error_of(format('SELECT kb_question_add(%s)', call));

SELECT call, state, message, hint FROM unnest(ARRAY[$$kb_question_add('Where is it?', 'ev')$$, $$kb_explain('ev', 'Where is it?')$$, $$kb_question_add('Where is it?', 'nowhere')$$]) call, error_of('SELECT ' || call);
SELECT state, message FROM error_of($$INSERT INTO kb_ev.question (question, expected_keys) VALUES ('q', '{a,NULL}')$$);
ALTER TABLE kb_ev.question DROP CONSTRAINT question_expected_keys_check;
INSERT INTO kb_ev.question (question, expected_keys, tags) VALUES ('share key', '{NULL,shared}', '{odd}');
SELECT state, message, hint FROM error_of($$SELECT rank FROM kb_evaluate_questions('ev', '{"mode": "keyword"}', 'odd')$$);
DELETE FROM kb_ev.question WHERE tags = '{odd}';

-- Kept runs.
SELECT count(*) FROM kb_evaluate('ev', '{"mode": "keyword"}', save_as => 'before');
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_evaluate('ev', save_as => 'before')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_evaluate('ev', save_as => ' ')$$);
SELECT name, run->>'model' AS model, jsonb_array_length(run->'configurations') AS configurations, jsonb_array_length(run#>'{configurations,0,questions}') AS questions FROM kb_ev.evaluation;
UPDATE kb_ev.document SET title = NULL, content = 'Nothing about it.' WHERE source_key = 'refund';
SELECT place, arguments, measure, won, lost, even, p, verdict FROM kb_compare('ev', '"before"', '{"mode": "keyword"}');
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_compare('ev', '"after"', '{}')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_compare('ev', '{}', '{"fusio": 1}')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_compare('ev', '{}', '{}', 'gone')$$);

-- Enough questions tell. Half of them ask for words that no document has.
SELECT count(kb_add('ev', format('Part %s fits lamp %s.', n * 7919, n * 104729), source_key => 'part/' || n)) FROM generate_series(1, 40) n;
SELECT count(kb_question_add('ev', format('part %s lamp', CASE WHEN n % 2 = 0 THEN n * 7919 ELSE n * 104729 END), expected_keys => ARRAY['part/' || n], tags => '{part}')) FROM generate_series(1, 40) n;
SELECT place, measure, round(a::numeric, 3) AS a, round(b::numeric, 3) AS b, won, lost, even, p < 0.01 AS p, low <= difference AND difference <= high AS within, verdict
FROM kb_compare('ev', '{"mode": "semantic"}', '[{"mode": "keyword"}, {"mode": "keyword", "match_count": 1}]', 'part');
SELECT p AS first FROM kb_compare('ev', '{"mode": "semantic"}', '{"mode": "keyword"}', 'part') WHERE measure = 'mrr' \gset
SELECT p = :first AS is_the_same_again FROM kb_compare('ev', '{"mode": "semantic"}', '{"mode": "keyword"}', 'part') WHERE measure = 'mrr';
SELECT p = 2 * :first AS is_corrected FROM kb_compare('ev', '{"mode": "semantic"}', '[{"mode": "keyword"}, {"mode": "keyword"}]', 'part') WHERE measure = 'mrr' LIMIT 1;
SELECT arguments, tried, chosen_on, checked_on, suggested_ndcg_10 > default_ndcg_10 AS is_better, message FROM kb_suggest('ev', 'part');
SELECT arguments, tried, chosen_on + checked_on AS figures, message FROM kb_suggest('ev', 'key');

-- No questions yet: they are made, marked, and not twice.
SELECT FROM kb_create('empty', model => 'fake/e8', dimensions => 8);
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_question_draft('empty')$$);
SELECT call, state, message, hint FROM unnest(ARRAY['0', '1001', '5, use_chat_model => true']) call, error_of(format('SELECT * FROM kb_question_draft(%L, %s)', 'empty', call));
SELECT FROM kb_add('empty', E'# Pumps\n\nA gear pump is a machine with two wheels.\n\n# Draining\n\nTurn the red handle twice, slowly.', mime_type => 'text/markdown', source_key => 'manual');
SELECT FROM kb_add('empty', 'The gate valve closes against backflow pressure.', 'Valves');
SELECT FROM kb_add('empty', 'Yes. No.', 'Leaks', source_key => 'leaks');
SELECT question, kind, source FROM kb_question_draft('empty') ORDER BY question COLLATE "C";
SELECT question, expected_keys, cardinality(expected_documents) AS documents, expected_texts, tags, is_draft FROM kb_empty.question ORDER BY question COLLATE "C";
SELECT count(*) AS more FROM kb_question_draft('empty');
SELECT count(*) AS last FROM kb_question_draft('empty');
SET client_min_messages = notice;
SELECT count(*) AS no_more FROM kb_question_draft('empty');
SET client_min_messages = warning;
SELECT count(*) FILTER (WHERE rank IS NOT NULL) AS found, count(*) FROM kb_evaluate_questions('empty', '{"mode": "keyword"}');
SELECT kb_drop('empty');

-- One of the two tables that was dropped is made again, and the other stays as it is.
SELECT FROM kb_create('half', model => 'fake/e8', dimensions => 8);
SELECT FROM kb_add('half', 'Tea is made of leaves.', source_key => 'tea');
SELECT FROM kb_add('half', 'Coffee is made of beans.', source_key => 'coffee');
SELECT FROM kb_question_add('half', 'leaves', expected_keys => '{tea}');
DROP TABLE kb_half.evaluation;
SELECT questions FROM kb_evaluate('half');
SELECT state, message FROM error_of($$SELECT * FROM kb_compare('half', '"kept"', '{}')$$);
SELECT questions FROM kb_evaluate('half', save_as => 'kept');
DROP TABLE kb_half.question;
SELECT state, message FROM error_of($$SELECT * FROM kb_evaluate('half')$$);
SELECT DISTINCT even, verdict FROM kb_compare('half', '"kept"', '"kept"');
CREATE ROLE kb_regress_ev_half;
SELECT kb_grant('half', 'kb_regress_ev_half', 'admin');
SELECT FROM kb_question_add('half', 'leaves', expected_keys => '{tea}');
SET ROLE kb_regress_ev_half;
SELECT count(*) AS questions, (SELECT count(*) FROM kb_half.evaluation) AS kept FROM kb_half.question;
RESET ROLE;
SELECT kb_revoke('half', 'kb_regress_ev_half', 'read');
-- Copies of a question count as one: for intervals, comparisons and the number of questions that a suggestion needs.
SELECT FROM kb_question_add('half', 'beans', expected_keys => '{coffee}');
SELECT FROM kb_question_add('half', 'Where is Madagascar?', expected_keys => '{coffee}', filter => '{"a": 1}');
SELECT first_hit, intervals->'first_hit' AS interval FROM kb_evaluate('half', '{"mode": "keyword"}');
SELECT count(kb_question_add('half', CASE WHEN n % 2 = 0 THEN 'beans' ELSE ' BEANS' END, expected_keys => '{coffee}')) FROM generate_series(1, 60) n;
SELECT round(first_hit::numeric, 3) AS first_hit, intervals->'first_hit' AS interval FROM kb_evaluate('half', '{"mode": "keyword"}');
SELECT won, lost, even, verdict FROM kb_compare('half', '{"mode": "keyword"}', '{"mode": "keyword", "filter": {"a": 1}}') WHERE measure = 'mrr';
SELECT message, chosen_on + checked_on AS figures FROM kb_suggest('half');
-- Kept runs are compared without their questions, by a role that may not read documents; copies count as one there, too.
SELECT questions FROM kb_evaluate('half', '{"mode": "keyword"}', save_as => 'copies');
SELECT questions FROM kb_evaluate('half', '{"mode": "keyword", "filter": {"a": 1}}', save_as => 'worse');
DELETE FROM kb_half.question WHERE question = ' BEANS';
SET client_min_messages = notice;
SELECT won, lost, even FROM kb_compare('half', '"copies"', '[{"mode": "keyword"}, "worse"]') WHERE measure = 'mrr';
GRANT CREATE, USAGE ON SCHEMA kb_half TO kb_regress_ev_half;
SET ROLE kb_regress_ev_half;
SELECT won, lost, even FROM kb_compare('half', '"copies"', '"worse"') WHERE measure = 'mrr';
SELECT state, message FROM error_of($$SELECT * FROM kb_compare('half', '"copies"', '{}')$$);
RESET ROLE;
REVOKE ALL ON SCHEMA kb_half FROM kb_regress_ev_half;
SET client_min_messages = warning;
-- A notice if vectors are missing that the searches would compare.
DELETE FROM kb_half.embedding WHERE chunk_id IN (SELECT c.id FROM kb_half.chunk c JOIN kb_half.document d ON d.id = c.document_id WHERE d.source_key = 'tea');
INSERT INTO kb_rag.job (knowledge_base_id, kind, target, failed) SELECT k.id, 'embed', d.id, true FROM kb_rag.knowledge_base k, kb_half.document d WHERE k.name = 'half' AND d.source_key = 'tea';
SET client_min_messages = notice;
SELECT questions FROM kb_evaluate('half', '[{"mode": "keyword"}, {}]');
SELECT questions FROM kb_evaluate('half', '{"mode": "keyword"}');
SELECT count(*) FROM kb_evaluate_questions('half', '{"mode": "semantic"}');
SET client_min_messages = warning;
SELECT kb_drop('half');
DROP ROLE kb_regress_ev_half;

-- The owner and administrators, and nobody else.
CREATE ROLE kb_regress_ev_reader;
CREATE ROLE kb_regress_ev_writer;
CREATE ROLE kb_regress_ev_admin;
SELECT kb_grant('ev', 'kb_regress_ev_reader', 'read'), kb_grant('ev', 'kb_regress_ev_writer', 'write'), kb_grant('ev', 'kb_regress_ev_admin', 'admin');
CREATE FUNCTION tried() RETURNS TABLE (role name, call text, state text) LANGUAGE sql AS $$
    SELECT current_user, c, e.state FROM unnest(ARRAY['SELECT kb_question_add(''ev'', ''By a role.'')', 'SELECT * FROM kb_evaluate(''ev'', save_as => current_user)', 'SELECT * FROM kb_evaluate_questions(''ev'')',
        'SELECT * FROM kb_compare(''ev'', ''{}'', ''"before"'')', 'SELECT * FROM kb_suggest(''ev'')', 'SELECT * FROM kb_ev.question', 'SELECT * FROM kb_ev.evaluation', 'INSERT INTO kb_ev.question (question) VALUES (''q'')']) c, error_of(c) e $$;
SET ROLE kb_regress_ev_reader;
SELECT * FROM tried();
SET ROLE kb_regress_ev_writer;
SELECT DISTINCT state FROM tried();
SET ROLE kb_regress_ev_admin;
SELECT DISTINCT state FROM tried();
RESET ROLE;
SELECT kb_revoke('ev', 'kb_regress_ev_admin', 'admin');
SET ROLE kb_regress_ev_admin;
SELECT DISTINCT state FROM tried();
SELECT count(*) > 0 AS still_reads FROM kb_search('pumps', 'ev');
RESET ROLE;
-- An administrator of a base without questions makes them for its owner, and other administrators may, too.
CREATE ROLE kb_regress_ev_owner;
SELECT kb_grant_admin('kb_regress_ev_owner');
SET ROLE kb_regress_ev_owner;
SELECT FROM kb_create('theirs', model => 'fake/e8', dimensions => 8);
ALTER DEFAULT PRIVILEGES FOR ROLE kb_regress_ev_owner GRANT SELECT ON TABLES TO PUBLIC;
SELECT kb_grant('theirs', 'kb_regress_ev_admin', 'admin'), kb_grant('theirs', 'kb_regress_ev_writer', 'admin');
SET ROLE kb_regress_ev_admin;
SELECT FROM kb_question_add('theirs', 'Is it theirs?');
SELECT relname, relowner::regrole AS owner, (SELECT string_agg(DISTINCT grantee::regrole::text, ', ') FROM aclexplode(relacl)) AS grantees FROM pg_class WHERE relnamespace = 'kb_theirs'::regnamespace AND relname IN ('question', 'evaluation') ORDER BY relname;
SET ROLE kb_regress_ev_writer;
SELECT questions FROM kb_evaluate('theirs');
RESET ROLE;

-- They go with the base, and come with its schema.
DELETE FROM kb_rag.knowledge_base WHERE name = 'ev';
SELECT kb_adopt('kb_ev') IS NOT NULL AS adopted;
SELECT questions > 40 AS kept FROM kb_evaluate('ev', '{"mode": "keyword"}');
SELECT kb_drop('ev');
SELECT to_regclass('kb_ev.question');
-- A table of this name that is not kb_rag's keeps the schema.
SET ROLE kb_regress_ev_owner;
SELECT kb_drop('theirs');
SELECT FROM kb_create('theirs', model => 'fake/e8', dimensions => 8);
CREATE TABLE kb_theirs.question (mine int);
RESET ROLE;
SELECT state, message FROM error_of($$SELECT kb_drop('theirs')$$);
DROP TABLE kb_theirs.question;
SELECT kb_drop('theirs');
SELECT kb_revoke_admin('kb_regress_ev_owner');
DROP OWNED BY kb_regress_ev_owner, kb_regress_ev_reader, kb_regress_ev_writer, kb_regress_ev_admin;
DROP ROLE kb_regress_ev_owner, kb_regress_ev_reader, kb_regress_ev_writer, kb_regress_ev_admin;
