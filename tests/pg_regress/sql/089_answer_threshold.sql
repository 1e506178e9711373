-- answer_threshold: what answers gives nothing unless the best is similar enough. match_threshold leaves out the others.
SET client_min_messages = warning;
-- Vectors in the plane: the similarity to the question [1,0] is the first number.
SELECT kb_create('fruit', model => 'fake/test', dimensions => 2, text_config => 'english') AS fruit, kb_create('ships', model => 'fake/test', dimensions => 2, text_config => 'english') AS ships \gset
INSERT INTO kb_fruit.document (title, content) VALUES ('one', 'Apples are red.'), ('two', 'Pears are green.'), ('three', 'Plums are blue.');
INSERT INTO kb_ships.document (title, content) VALUES ('four', 'Ships are long.'), ('five', 'Apples of a ship are round.');
CREATE FUNCTION set_similarity(base text, of_title text, wanted float8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE kb_%I.embedding e SET embedding = ARRAY[$2, sqrt(1 - $2 * $2)]::real[]::vector
        FROM kb_%1$I.chunk c JOIN kb_%1$I.document d ON d.id = c.document_id WHERE c.id = e.chunk_id AND d.title = $1', base) USING of_title, wanted;
END
$$;
SELECT set_similarity('fruit', t, s) FROM (VALUES ('one', 0.5), ('two', 0.75), ('three', 0.25)) v (t, s);
SELECT set_similarity('ships', t, s) FROM (VALUES ('four', 0.6), ('five', 0.45)) v (t, s);
CREATE FUNCTION found(base text, threshold float8 DEFAULT NULL, mode text DEFAULT 'hybrid', question text DEFAULT 'apples', n int DEFAULT 10) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(d.title, ' ' ORDER BY d.title)
    FROM regexp_split_to_table(kb_context(question, base, n, threshold, mode => mode, query_embedding => '[1,0]'), E'\n\n---\n\n') p,
        (SELECT title, content FROM kb_fruit.document UNION ALL SELECT title, content FROM kb_ships.document) d
    WHERE p LIKE '%' || d.content
$$;

-- No setting, and a model that was not measured: 0.3, and no gate.
SELECT mode, found('fruit', mode => mode) FROM unnest('{hybrid,semantic,keyword}'::text[]) mode;
-- A gate alone: what passes it is filtered by 0.3, or by the gate where that is lower.
SELECT gate, kb_configure('fruit', answer_threshold => gate), found('fruit') AS hybrid, found('fruit', mode => 'semantic') AS semantic, found('fruit', mode => 'keyword') AS keyword
FROM unnest('{0.76,0.74,0.6,0.2}'::float8[]) gate;
-- Both, in either order.
SELECT kb_configure('fruit', match_threshold => 0.55);
SELECT kb_configure('fruit', answer_threshold => gate), gate, found('fruit') AS hybrid FROM unnest('{0.76,0.74,0.1}'::float8[]) gate;
-- A filter alone has no gate. -1 removes a setting, NULL keeps it.
SELECT kb_configure('fruit', answer_threshold => 0.9), kb_configure('fruit', answer_threshold => NULL);
SELECT name, answer_threshold, match_threshold FROM kb_list() ORDER BY name;
SELECT found('fruit') AS closed;
SELECT kb_configure('fruit', answer_threshold => -1, match_threshold => 0.4);
SELECT name, answer_threshold, match_threshold FROM kb_list() ORDER BY name;
SELECT value IS NULL AS is_null FROM kb_fruit.setting WHERE name = 'answer_threshold';
SELECT found('fruit') AS open;
-- An argument is the filter, and switches the gate off; -1 switches both off.
SELECT kb_configure('fruit', answer_threshold => 0.9, match_threshold => 0.7);
SELECT threshold, found('fruit', threshold) AS hybrid, found('fruit', threshold, 'semantic') AS semantic, found('fruit', threshold, 'keyword') AS keyword
FROM unnest('{NULL,0.7,0.4,-1}'::float8[]) threshold ORDER BY threshold NULLS FIRST;
-- The best decides, also where it is not among the results, or not found by the words. Strictly above.
SELECT similarity AS exact FROM kb_search('x', 'fruit', 'semantic', 1, query_embedding => '[1,0]') \gset
SELECT kb_configure('fruit', match_threshold => 0.2, answer_threshold => :exact), found('fruit') AS at_it;
SELECT kb_configure('fruit', answer_threshold => :exact - 1e-12), found('fruit') AS below_it, found('fruit', mode => 'keyword', question => 'plums') AS keyword;

-- kb_search, kb_hybrid_search and kb_search_documents have no gate, and only the filter that the base or the call has.
SELECT kb_configure('fruit', answer_threshold => 0.9, match_threshold => -1);
SELECT (SELECT count(*) FROM kb_search('apples', 'fruit', query_embedding => '[1,0]')) AS search, (SELECT count(*) FROM kb_hybrid_search('apples', 'fruit', query_embedding => '[1,0]')) AS hybrid,
    (SELECT count(*) FROM kb_search_documents('apples', 'fruit', query_embedding => '[1,0]')) AS documents, (SELECT count(*) FROM match_knowledge_chunks(:'fruit', '[1,0]')) AS match;
SELECT kb_configure('fruit', match_threshold => 0.4);
SELECT (SELECT count(*) FROM kb_search('apples', 'fruit', query_embedding => '[1,0]')) AS search, (SELECT count(*) FROM kb_hybrid_search('apples', 'fruit', query_embedding => '[1,0]')) AS hybrid;

-- Bases of one model have one gate: what one answers is an answer, and each filters its own.
SELECT kb_configure('fruit', answer_threshold => 0.7, match_threshold => 0.4), kb_configure('ships', answer_threshold => 0.7, match_threshold => 0.5);
SELECT found(NULL);
SELECT set_similarity('fruit', 'two', 0.65);
SELECT found(NULL);
-- A base without a gate has none, and opens none.
SELECT kb_configure('ships', answer_threshold => -1);
SELECT found(NULL);
SELECT set_similarity('fruit', 'two', 0.75);
-- Each model has its own.
SELECT kb_create('others', model => 'fake/other', dimensions => 8, text_config => 'english', answer_threshold => 0.99) AS others \gset
SELECT kb_configure('ships', answer_threshold => 0.7);
INSERT INTO kb_others.document (content) VALUES ('Apples of others.'), ('Something else.');
CREATE FUNCTION by_model(question text, OUT fruit boolean, OUT others boolean) LANGUAGE sql AS $$
    SELECT c ~ 'Pears', c ~ 'of others' FROM coalesce(kb_context(question, match_count => 10), '') c
$$;
SELECT kb_configure('fruit', answer_threshold => -0.99, match_threshold => -0.99);
SELECT * FROM by_model('Apples of others.');
SELECT kb_configure('fruit', answer_threshold => 0.9999, match_threshold => -0.99), kb_configure('ships', answer_threshold => 0.9999);
SELECT * FROM by_model('Apples of others.');
SELECT * FROM by_model('Who knows that?');
SELECT kb_drop('others'), kb_configure('ships', answer_threshold => -1);

-- Rows without a usable similarity are neither gated nor filtered.
SELECT kb_configure('fruit', answer_threshold => 0.99, match_threshold => 0.9, embed => 'queued');
INSERT INTO kb_fruit.document (title, content) VALUES ('waits', 'Apples that wait for a vector.');
SELECT found('fruit') AS hybrid, found('fruit', mode => 'keyword') AS keyword, found('fruit', mode => 'semantic') AS semantic;
CALL kb_work();
SELECT set_similarity('fruit', 'waits', 0.1);
SELECT found('fruit') AS hybrid, found('fruit', mode => 'keyword') AS keyword;
DELETE FROM kb_fruit.document WHERE title = 'waits';

-- Tools, snippets and kb_retrieve over the view of a base have the same rule. Their question is a text: its vector is made.
SELECT kb_embed('ripe apples', 'fake/test', 2)::text AS asked \gset
UPDATE kb_fruit.embedding e SET embedding = :'asked' FROM kb_fruit.chunk c WHERE c.id = e.chunk_id AND c.content LIKE 'Pears%';
SELECT kb_expose('fruit') IS NOT NULL AS exposed;
CREATE FUNCTION answers(OUT tool boolean, OUT snippets int, OUT retrieved int) LANGUAGE sql AS $$
    SELECT kb_call_tool('search_fruit', '{"query": "ripe apples"}') #>> '{content,0,text}' <> 'No passage about this was found.',
        jsonb_array_length(kb_snippets('[{"role": "user", "content": "ripe apples"}]', 5, (SELECT id::text FROM kb_list() WHERE name = 'fruit'))),
        (SELECT count(*) FROM regexp_split_to_table(kb_retrieve('{"type": "pgvector", "hostname": "localhost", "port": 5432, "password": "${P}", "collection": "kb_fruit.collection",
            "embedding_model": "fake/test", "embedding_dimensions": 2}', '[{"role": "user", "content": "ripe apples"}]'), E'\n\n---\n\n'))
$$;
SELECT kb_configure('fruit', answer_threshold => 0.99, match_threshold => -0.99);
SELECT * FROM answers();
SELECT kb_configure('fruit', answer_threshold => 0.99, match_threshold => 0.9999);
SELECT * FROM answers();
UPDATE kb_fruit.embedding e SET embedding = kb_embed('something else', 'fake/test', 2) FROM kb_fruit.chunk c WHERE c.id = e.chunk_id;
SELECT kb_configure('fruit', answer_threshold => 0.999, match_threshold => -0.99);
SELECT * FROM answers();
SELECT kb_configure('fruit', answer_threshold => -1);
SELECT * FROM answers();

-- Out of range.
SELECT given, e.* FROM unnest('{NaN,1,-1.001,Infinity}'::text[]) given, error_of(format($$SELECT kb_configure('fruit', answer_threshold => %L)$$, given)) e;
SELECT * FROM error_of($$SELECT kb_create('x', answer_threshold => 1.5)$$);
SELECT kb_drop(name) FROM kb_list();
DROP FUNCTION found, set_similarity, by_model, answers;

-- The default model has a pair of its own: 0.35 and 0.25.
SELECT kb_create('tea') IS NOT NULL AS created;
SELECT count(kb_add('tea', t)) FROM unnest(ARRAY['Green tea is brewed for three minutes.', 'Black tea is brewed for five minutes.', 'The kettle is in the kitchen.', 'Invoices are paid within thirty days.']) t;
SELECT question, count(s.*) FILTER (WHERE similarity > 0.25) AS above, max(similarity) > 0.35 AS passes,
    array_length(regexp_split_to_array(kb_context(question, match_count => 10), E'\n\n---\n\n'), 1) AS passages
FROM unnest('{How long is green tea brewed?,Who composed this symphony?}'::text[]) question, kb_search(question, 'tea', 'semantic', 10) s GROUP BY question ORDER BY question;
-- Other texts that are not a base's have it, too, and a model that does not read them has none.
SELECT kb_expose('tea') IS NOT NULL AS exposed;
CREATE TABLE copied AS SELECT * FROM kb_tea.collection;
CREATE FUNCTION retrieved(question text) RETURNS text LANGUAGE sql AS $$
    SELECT kb_retrieve('{"type": "pgvector", "hostname": "localhost", "port": 5432, "password": "${P}", "collection": "copied",
        "embedding_model": "local/all-minilm-l6-v2", "embedding_dimensions": 384}', jsonb_build_array(jsonb_build_object('role', 'user', 'content', question)))
$$;
SELECT array_length(regexp_split_to_array(retrieved('How long is green tea brewed?'), E'\n\n---\n\n'), 1) AS passages,
    retrieved('Who composed this symphony?') IS NULL AS nothing;
UPDATE copied SET metadata = '{"content": "Зелёный чай заваривают три минуты."}';
SELECT array_length(regexp_split_to_array(retrieved('Who composed this symphony?'), E'\n\n---\n\n'), 1) AS unread;
DROP TABLE copied;
DROP FUNCTION retrieved;
SELECT kb_drop('tea');
