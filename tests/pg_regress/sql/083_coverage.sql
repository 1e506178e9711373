-- The weight of keywords beside vectors: what the best chunk holds of the question, and of its numbers and codes.
\set VERBOSITY terse
SET client_min_messages = warning;
SET kb_rag.inline_chunks = 1000;
SELECT kb_create('sea', model => 'fake/test', dimensions => 8, embed => 'inline') IS NOT NULL AS sea;
INSERT INTO kb_sea.document (title, content)
SELECT NULL, 'Ships of the fleet, number ' || n || ', leave the harbor.' FROM generate_series(1, 40) n;
INSERT INTO kb_sea.document (title, content) VALUES (NULL, 'The lighthouse burns oil.'), (NULL, 'Model X200 needs no oil.');

-- What keywords give: at most their weight, where vectors have none of it. The question's vector is that of another text.
CREATE FUNCTION pg_temp.by_words(question text, weight float8 DEFAULT 1, ranker text DEFAULT NULL, fusion text DEFAULT 'relative')
RETURNS TABLE (content text, score numeric) LANGUAGE sql AS $$
    SELECT r.content, round((r.score - CASE WHEN r.similarity > .999 THEN 1 ELSE 0 END)::numeric, 3)
    FROM kb_search(question, 'sea', match_count => 1, keyword_weight => weight, semantic_weight => 1e-9, ranker => ranker,
        fusion => fusion, rrf_k => 0) r
$$;
-- All of it is held; half; less than half; one of many words.
SELECT * FROM pg_temp.by_words('a lighthouse');
SELECT * FROM pg_temp.by_words('lighthouse keepers');
SELECT * FROM pg_temp.by_words('lighthouse keepers trim wicks');
SELECT * FROM pg_temp.by_words('lighthouse keepers trim many brass wicks nightly');
-- By rank as well; with a weight of the caller, which it multiplies.
SELECT * FROM pg_temp.by_words('lighthouse keepers trim wicks', fusion => 'rrf');
SELECT * FROM pg_temp.by_words('lighthouse keepers trim wicks', weight => 2);
-- PostgreSQL's rankers do not tell rare words from common ones.
SELECT * FROM pg_temp.by_words('lighthouse keepers trim wicks', ranker => 'ts_rank');
SELECT * FROM pg_temp.by_words('lighthouse keepers trim wicks', ranker => 'ts_rank_cd');
-- A code that is found counts three times; one that is not found only makes the share smaller.
SELECT * FROM pg_temp.by_words('X200');
SELECT * FROM pg_temp.by_words('what does the X200 need?');
SELECT * FROM pg_temp.by_words('lighthouse X300');
-- Keywords alone have their own scores.
SELECT content, round(score::numeric, 2) AS score FROM kb_search('lighthouse keepers trim wicks', 'sea', 'keyword');
SELECT content, round(score::numeric, 2) AS score FROM kb_search('lighthouse keepers trim wicks', 'sea', semantic_weight => 0);
-- The best chunk is the best that passes the filter.
UPDATE kb_sea.document SET metadata = '{"kind": "ship"}' WHERE content LIKE 'Ships%';
SELECT content, round(score::numeric, 3) AS score
FROM kb_search('fleet lighthouse keepers trim wicks', 'sea', match_count => 1, filter => '{"kind": "ship"}', semantic_weight => 1e-9);

-- Rows of a catalog that differ in a code: each is first by score. By rank a few come behind one whose vector is much nearer: the first
-- rank counts little more than the second, which all others share.
SELECT kb_create('catalog', embed => 'inline') IS NOT NULL AS catalog;
INSERT INTO kb_catalog.document (title, content)
SELECT 'Pump K-' || n, 'Centrifugal pump K-' || n || ' for clean water, flange DN 50, delivery within three weeks.'
FROM generate_series(1001, 1060) n;
SELECT form, count(*) FILTER (WHERE by_rank = 'Pump K-' || n) >= 25 AS by_rank, count(*) FILTER (WHERE by_score = 'Pump K-' || n) AS by_score
FROM generate_series(1002, 1060, 2) n, unnest(ARRAY['pump K-%s', 'What does the pump K-%s cost?', 'K-%s']) form,
    LATERAL (SELECT title AS by_rank FROM kb_hybrid_search(format(form, n), 'catalog', match_count => 1)) r,
    LATERAL (SELECT title AS by_score FROM kb_search(format(form, n), 'catalog', match_count => 1)) s
GROUP BY form ORDER BY form;

-- A base in several languages: stop words of the question's language are no rare words of another.
SELECT kb_create('shop', embed => 'off') IS NOT NULL AS shop;
INSERT INTO kb_shop.document (title, content, language)
SELECT 'Toaster ' || n, 'The toaster ' || n || ' comes with a guarantee of two years.', 'en' FROM generate_series(1, 9) n;
INSERT INTO kb_shop.document (title, content, language) VALUES
    ('Kabel', 'Auf Englisch: how long is the cable of the kettle? Das versteht niemand.', 'de'),
    ('Garantie', 'Die Gewährleistung des Toasters dauert zwei Jahre.', 'de');
SELECT title <> 'Kabel' AS is_right FROM kb_search('How long is the guarantee of the toaster?', 'shop', 'keyword', match_count => 1);
SELECT title FROM kb_search('Wie lange dauert die Gewährleistung?', 'shop', 'keyword', match_count => 1);
-- A question of nothing else is about these words.
SELECT title FROM kb_search('how long is the', 'shop', 'keyword');

SELECT kb_drop(name) FROM kb_list();
