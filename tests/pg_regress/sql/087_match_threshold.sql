-- match_threshold: searches leave out what is not similar enough, and only that.
SET client_min_messages = warning;
-- Vectors in the plane: the similarity to the question [1,0] is the first number.
SELECT kb_create('near', model => 'fake/test', dimensions => 2, text_config => 'english') IS NOT NULL
    AND kb_create('far', model => 'fake/test', dimensions => 2, text_config => 'english') IS NOT NULL AS created;
CREATE FUNCTION set_similarity(base text, of_title text, wanted float8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE kb_%I.embedding e SET embedding = ARRAY[$2, sqrt(1 - $2 * $2)]::real[]::vector
        FROM kb_%1$I.chunk c JOIN kb_%1$I.document d ON d.id = c.document_id WHERE c.id = e.chunk_id AND d.title = $1', base) USING of_title, wanted;
END
$$;
INSERT INTO kb_near.document (title, content) VALUES
    ('one', 'Apples are red.'), ('two', 'Pears are green.'), ('three', 'Plums are blue.'), ('four', 'Ships are long.'), ('five', 'Trains are long.');
INSERT INTO kb_far.document (title, content) VALUES ('six', 'Apples are sweet.'), ('seven', 'Wheels are round.');
SELECT set_similarity('near', t, s) FROM (VALUES ('one', 1), ('two', 0.75), ('three', 0.5), ('four', 0), ('five', -0.5)) v (t, s);
SELECT set_similarity('far', t, s) FROM (VALUES ('six', 0.5), ('seven', -0.75)) v (t, s);

-- Strictly above: the similarity of "three", as it is computed, is not above itself, and above the next number below.
SELECT similarity AS exact FROM kb_search('x', 'near', 'semantic', query_embedding => '[1,0]') WHERE title = 'three' \gset
SELECT array(SELECT title FROM kb_search('x', 'near', 'semantic', query_embedding => '[1,0]', match_threshold => :exact)) AS at_it,
    array(SELECT title FROM kb_search('x', 'near', 'semantic', query_embedding => '[1,0]', match_threshold => :exact - 1e-12)) AS below_it;
-- In each mode and fusion. The question has words of "four" and "five" only; without a threshold they are there.
SELECT mode, fusion, threshold, array(SELECT title FROM kb_search('long', 'near', mode, fusion => fusion, query_embedding => '[1,0]', match_threshold => threshold) ORDER BY 1) AS found
FROM unnest(ARRAY['hybrid', 'semantic', 'keyword']) mode, unnest(ARRAY['rrf', 'relative']) fusion, unnest(ARRAY[NULL, 0.6, -0.25, 0.999]) threshold
ORDER BY mode, fusion, threshold NULLS FIRST;
-- Rows of mode keyword have no similarity, and stay.
SELECT title, similarity FROM kb_search('long', 'near', 'keyword', match_threshold => 0.999) ORDER BY title;
SELECT title, similarity FROM kb_hybrid_search('long', 'near', semantic_weight => 0, match_threshold => 0.999) ORDER BY title;
-- Without keywords the vectors decide.
SELECT title FROM kb_hybrid_search('long', 'near', keyword_weight => 0, query_embedding => '[1,0]', match_threshold => 0.6);
-- The order and the scores of what stays are those of the search without it.
SELECT array_agg((title, score, similarity, semantic_rank, keyword_rank) ORDER BY place)
    = (SELECT array_agg((title, score, similarity, semantic_rank, keyword_rank) ORDER BY place)
        FROM (SELECT *, row_number() OVER () AS place FROM kb_search('long red', 'near', query_embedding => '[1,0]')) a WHERE similarity > -0.25) AS same, count(*)
FROM (SELECT *, row_number() OVER () AS place FROM kb_search('long red', 'near', query_embedding => '[1,0]', match_threshold => -0.25)) b;

-- The base's own holds where the call gives none; -1 of a call removes it for that call only.
SELECT kb_configure('near', match_threshold => 0.6);
SELECT array(SELECT title FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]')) AS of_base,
    array(SELECT title FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]', match_threshold => NULL)) AS of_null,
    array(SELECT title FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]', match_threshold => 0.9)) AS higher,
    array(SELECT title FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]', match_threshold => 0.25) ORDER BY 1) AS lower,
    array(SELECT title FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]', match_threshold => -1) ORDER BY 1) AS none,
    array(SELECT title FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]')) AS of_base_again;
-- Over several bases each has its own, and that of a call holds in all.
SELECT threshold, array(SELECT title FROM kb_search('apples', query_embedding => '[1,0]', match_count => 10, match_threshold => threshold) ORDER BY 1) AS found
FROM unnest(ARRAY[NULL, 0.4, -1]) threshold;
SELECT kb_configure('far', match_threshold => -0.8), kb_configure('near', match_threshold => 0.9);
SELECT array(SELECT title FROM kb_search('apples', query_embedding => '[1,0]', match_count => 10) ORDER BY 1) AS own,
    array(SELECT title FROM kb_search('apples', mode => 'semantic', query_embedding => '[1,0]', match_count => 10) ORDER BY 1) AS semantic;
SELECT kb_configure('far', match_threshold => -1), kb_configure('near', match_threshold => -1);
-- So do bases of different models.
SELECT kb_create('other', model => 'fake/other', dimensions => 3, text_config => 'english', match_threshold => 0.999) IS NOT NULL AS created;
INSERT INTO kb_other.document (title, content) VALUES ('eight', 'Apples are cheap.');
SELECT threshold, array(SELECT title FROM kb_search('apples', match_count => 10, match_threshold => threshold) WHERE knowledge_base = 'other') AS found
FROM unnest(ARRAY[NULL, -1]) threshold;
SELECT kb_drop('other');

-- Rows without a vector stay, whatever the threshold: embed off, or the vector is pending.
SELECT kb_configure('near', embed => 'off');
INSERT INTO kb_near.document (title, content) VALUES ('mute', 'Long words without a vector.');
SELECT title, similarity FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]', match_threshold => 0.9) ORDER BY title;
DELETE FROM kb_near.document WHERE title = 'mute';
SELECT kb_configure('near', embed => 'queued');
INSERT INTO kb_near.document (title, content) VALUES ('waits', 'Long words that wait for a vector.');
SELECT title, similarity FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]', match_threshold => 0.9) ORDER BY title;
CALL kb_work();
SELECT set_similarity('near', 'waits', 0.1);
SELECT title, similarity FROM kb_hybrid_search('long', 'near', query_embedding => '[1,0]', match_threshold => 0.9) ORDER BY title;
DELETE FROM kb_near.document WHERE title = 'waits';

-- Where the model cannot be used.
SELECT kb_provider_set('dead', kind => 'openai', base_url => 'http://127.0.0.1:1', api_key => '', timeout => '1 second');
SELECT kb_create('unused', model => 'dead/small', dimensions => 2, match_threshold => 0.9) IS NOT NULL AS created;
SET kb_rag.workers = 0;
INSERT INTO kb_unused.document (title, content) VALUES ('kept', 'Apples are apples.');
SET client_min_messages = error;
SELECT title, similarity FROM kb_hybrid_search('apples', 'unused');
RESET kb_rag.workers;
SELECT kb_drop('unused');
SET client_min_messages = warning;
SELECT kb_provider_drop('dead');

-- max_per_document counts what stays.
SELECT kb_create('parts', model => 'fake/test', dimensions => 2, chunk_size => 20, chunk_overlap => 0, chunk_strategy => 'text') IS NOT NULL AS created;
INSERT INTO kb_parts.document (title, content) VALUES ('a', E'First part of a.\n\nSecond part of a.\n\nThird part of a.'), ('b', E'First part of b.\n\nSecond part of b.');
UPDATE kb_parts.embedding e SET embedding = ARRAY[s, sqrt(1 - s * s)]::real[]::vector
FROM kb_parts.chunk c JOIN kb_parts.document d ON d.id = c.document_id
JOIN (VALUES ('a', 0, 0.2), ('a', 1, 0.9), ('a', 2, 0.8), ('b', 0, 0.7), ('b', 1, 0.1)) v (title, ordinal, s) USING (title)
WHERE c.id = e.chunk_id AND c.ordinal = v.ordinal;
SELECT most, array(SELECT content FROM kb_search('part', 'parts', max_per_document => most, query_embedding => '[1,0]', match_threshold => 0.5) ORDER BY 1) AS found
FROM unnest(ARRAY[NULL, 1, 2]) most;
SELECT kb_drop('parts');

-- A question off topic gets no rows, by text too.
SELECT kb_drop('near'), kb_drop('far');
SELECT kb_create('topic', model => 'fake/test', dimensions => 64, text_config => 'english') IS NOT NULL AS created;
INSERT INTO kb_topic.document (title, content) VALUES (NULL, 'Tea needs four minutes.'), (NULL, 'Bread needs an hour.');
SELECT question, count(s.*) AS without, count(s.*) FILTER (WHERE similarity > 0.3) AS above,
    (SELECT count(*) FROM kb_hybrid_search(question, 'topic', match_threshold => 0.3)) AS found
FROM unnest(ARRAY['Tea needs four minutes.', 'zzz yyy']) question LEFT JOIN LATERAL kb_hybrid_search(question, 'topic') s ON true GROUP BY question ORDER BY question;
SELECT kb_drop('topic');

-- A model that cannot read the texts, or the question, has no usable similarity. English texts are the control.
SELECT kb_create('english', match_threshold => 0.3) IS NOT NULL AND kb_create('russian', text_config => 'russian', match_threshold => 0.999) IS NOT NULL AS created;
INSERT INTO kb_english.document (title, content) VALUES ('Refunds', 'You can return any item within thirty days. The money goes back to the card you paid with.');
INSERT INTO kb_russian.document (title, content) VALUES ('Возврат', 'Товар можно вернуть в течение тридцати дней. Деньги возвращаются на карту, которой вы платили.');
SELECT question, array(SELECT title FROM kb_hybrid_search(question, 'english')) AS hybrid, array(SELECT title FROM kb_search(question, 'english', 'semantic')) AS semantic
FROM unnest(ARRAY['when do I get my money back?', 'the capital of France, the city of Paris']) question;
SET client_min_messages = notice;
SELECT title, similarity, semantic_rank, keyword_rank FROM kb_hybrid_search('деньги за товар', 'russian');
SELECT title, similarity < 0.999 AS below, semantic_rank, keyword_rank FROM kb_search('money', 'russian', 'semantic');
SELECT title, similarity, semantic_rank, keyword_rank FROM kb_hybrid_search('card: когда деньги вернутся на мою карту', 'english', match_threshold => 0.999);
SELECT title, semantic_rank FROM kb_hybrid_search('card: when is the money back on my card', 'english', match_threshold => 0.999);
SET client_min_messages = warning;
SELECT kb_drop('english'), kb_drop('russian');

-- Never fewer than exist. All 400 chunks hold the word; those that are similar enough come last by keyword and by vector.
SELECT kb_create('many', model => 'fake/test', dimensions => 2, text_config => 'english') IS NOT NULL AS created;
INSERT INTO kb_many.document (title, content)
SELECT n::text, 'word ' || repeat('word ', CASE WHEN n > 390 THEN 0 ELSE 3 END) || repeat('filler ', CASE WHEN n > 390 THEN 30 ELSE 0 END) FROM generate_series(1, 400) n;
SELECT count(set_similarity('many', n::text, CASE WHEN n > 390 THEN 0.9 ELSE 0.2 END)) FROM generate_series(1, 400) n;
SELECT wanted, fusion, count(*), bool_and(title::int > 390) AS right_ones, count(keyword_rank) AS by_keyword
FROM unnest(ARRAY[1, 5, 10, 50, 1000]) wanted, unnest(ARRAY['rrf', 'relative']) fusion,
    LATERAL kb_search('word', 'many', match_count => wanted, fusion => fusion, query_embedding => '[1,0]', match_threshold => 0.5)
GROUP BY 1, 2 ORDER BY 1, 2;
-- Chunks without a vector that rank late by keyword: they stay, though the first 80 all have vectors below the threshold.
SELECT count(set_similarity('many', n::text, 0.2)) FROM generate_series(1, 400) n;
SELECT kb_configure('many', embed => 'off');
DELETE FROM kb_many.embedding e USING kb_many.chunk c JOIN kb_many.document d ON d.id = c.document_id WHERE c.id = e.chunk_id AND d.title::int > 395;
SELECT fusion, count(*), bool_and(title::int > 395) AS right_ones, min(keyword_rank) > 80 AS late
FROM unnest(ARRAY['rrf', 'relative']) fusion, LATERAL kb_search('word', 'many', fusion => fusion, query_embedding => '[1,0]', match_threshold => 0.5) GROUP BY fusion ORDER BY fusion;
-- Nothing else hides them: a filter, and a base besides.
UPDATE kb_many.document SET metadata = '{"kind": "late"}' WHERE title::int > 398;
DELETE FROM kb_many.embedding e USING kb_many.chunk c JOIN kb_many.document d ON d.id = c.document_id WHERE c.id = e.chunk_id AND d.title::int > 395;
SELECT count(*) FROM kb_search('word', 'many', filter => '{"kind": "late"}', query_embedding => '[1,0]', match_threshold => 0.5);
SELECT count(*) FROM kb_search('word', query_embedding => '[1,0]', match_threshold => 0.5);
SELECT count(*) FROM kb_search('word -filler', 'many', syntax => 'web', query_embedding => '[1,0]', match_threshold => 0.5);
SELECT count(*) FROM kb_search('word "filler filler"', 'many', syntax => 'web', query_embedding => '[1,0]', match_threshold => 0.5);
-- So it is with the other rankers, and under row security.
SELECT ranker, count(*) FROM unnest(ARRAY['bm25', 'ts_rank', 'ts_rank_cd']) ranker, LATERAL kb_search('word', 'many', ranker => ranker, query_embedding => '[1,0]', match_threshold => 0.5) GROUP BY 1 ORDER BY 1;
CREATE ROLE regress_kb_reader;
SELECT kb_grant('many', 'regress_kb_reader', 'read');
ALTER TABLE kb_many.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY even ON kb_many.document USING (title::int % 2 = 0);
SET ROLE regress_kb_reader;
SELECT count(*), bool_and(title::int > 395) AS right_ones FROM kb_search('word', 'many', query_embedding => '[1,0]', match_threshold => 0.5);
RESET ROLE;
SELECT kb_revoke('many', 'regress_kb_reader', 'read');
DROP ROLE regress_kb_reader;
SELECT kb_drop('many');

-- Arguments.
SELECT kb_create('empty', model => 'fake/test', dimensions => 2) IS NOT NULL AS created;
SELECT threshold, of, e.* FROM unnest(ARRAY['NaN', '1', '2', '-2', '-1.000001', 'Infinity', '-Infinity', '-1', '0', '0.999999', 'NULL']) threshold, unnest(ARRAY['kb_search', 'kb_hybrid_search']) of,
    error_of(format('SELECT * FROM %s(''x'', ''empty'', match_threshold => %s)', of, CASE threshold WHEN 'NULL' THEN 'NULL' ELSE quote_literal(threshold) END)) e;
SELECT kb_drop('empty');
DROP FUNCTION set_similarity;
RESET client_min_messages;
