-- BM25: scores equal the formula, written out in SQL over PostgreSQL's own lexemes.
SET client_min_messages = warning;
SET extra_float_digits = 0;

-- Robertson's BM25 with Lucene's inverse document frequency, over the chunks of the bases in `schemas`, treated as one
-- corpus. `weights` belong to the labels D, C, B, A.
CREATE FUNCTION bm25(schemas text[], query text, k1 float8 = 1.2, b float8 = 0.75, weights float8[] = '{1,1,1.5,2}')
RETURNS TABLE (id uuid, score float8) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        WITH chunk AS MATERIALIZED (%s), posting AS MATERIALIZED (
            SELECT c.id, u.lexeme,
                (SELECT sum(($4)[strpos('DCBA', w)]) FROM unnest(u.weights) AS w) AS tf,
                cardinality(u.positions) AS words
            FROM chunk c, unnest(c.tsv) u
        ), corpus AS (
            SELECT (SELECT count(*) FROM chunk) AS n, sum(words)::float8 / (SELECT count(*) FROM chunk) AS mean FROM posting
        ), length AS (
            SELECT p.id, sum(p.words) AS words FROM posting p GROUP BY p.id
        ), term AS (
            SELECT p.lexeme, ln(1 + (n - count(*) + 0.5) / (count(*) + 0.5)) AS idf
            FROM posting p, corpus WHERE p.lexeme = ANY ($1) GROUP BY p.lexeme, n
        )
        SELECT p.id, sum(t.idf * p.tf * ($2 + 1) / (p.tf + $2 * (1 - $3 + $3 * l.words / mean)))::float8
        FROM posting p JOIN term t USING (lexeme) JOIN length l USING (id), corpus
        GROUP BY p.id
    $sql$, (SELECT string_agg(format('SELECT id, without_parts(tsv) AS tsv FROM %I.chunk', s), ' UNION ALL ') FROM unnest(schemas) s))
    USING tsvector_to_array(to_tsvector('english', query)), k1, b, weights;
END
$$;
-- Compares a keyword search with the formula: the number of results, whether they are the best in the right order, and
-- whether the scores are equal to 1e-6 (they are, to 1e-9).
CREATE FUNCTION compare(query text, base text, schemas text[], count int, k1 float8 = 1.2, b float8 = 0.75, weights float8[] = '{1,1,1.5,2}')
RETURNS TABLE (results bigint, expected bigint, same_order boolean, same_scores boolean) LANGUAGE sql AS $$
    WITH found AS (
        SELECT chunk_id, keyword_score, score, row_number() OVER () AS place FROM kb_search(query, base, 'keyword', count)
    ), wanted AS (
        SELECT id, w.score, row_number() OVER (ORDER BY round(w.score::numeric, 10) DESC, id) AS place
        FROM bm25(schemas, query, k1, b, weights) w ORDER BY place LIMIT count
    )
    SELECT count(f.place), count(w.place), coalesce(bool_and(f.chunk_id = w.id), true),
        coalesce(bool_and(abs(f.keyword_score - w.score) < 1e-9 AND f.score = f.keyword_score), true)
    FROM found f FULL JOIN wanted w USING (place)
$$;

SELECT kb_create('small', model => 'fake/test', dimensions => 8, part_weight => 0) IS NOT NULL AS created;
-- Words of very different frequency, chunks of different length, words that occur several times.
INSERT INTO kb_small.document (title, content)
SELECT 'Report ' || n % 7,
    repeat('harbour ', n % 4) || repeat('ship ', n % 3) || 'number ' || n || CASE WHEN n % 11 = 0 THEN ' lighthouse' ELSE '' END
        || CASE WHEN n % 50 = 0 THEN ' whale whale' ELSE '' END || repeat(' filler' || n % 5, n % 13)
FROM generate_series(1, 300) n;
SELECT q, c.* FROM (VALUES
    ('whale'), ('lighthouse ship'), ('harbour ship number'), ('whale harbour report 3'), ('number'), ('number 17'),
    ('unheard of'), ('harbour harbour harbour'), ('the whale and the ship in the harbour filler1 filler2 filler3 number 12')
) t (q), compare(q, 'small', '{kb_small}', 20) c;
SELECT c.* FROM compare('harbour ship number', 'small', '{kb_small}', 1000) c;

-- Equal scores are ordered by id; equal searches give equal bits.
SELECT count(*) AS results, count(DISTINCT score) < count(*) AS ties,
    bool_and(chunk_id > before OR before IS NULL OR score < score_before) AS by_id
FROM (
    SELECT *, lag(chunk_id) OVER w AS before, lag(score) OVER w AS score_before
    FROM (SELECT *, row_number() OVER () AS place FROM kb_search('number', 'small', 'keyword', 100)) r WINDOW w AS (ORDER BY place)
) r;

-- k1, b and weights belong to the base.
SELECT kb_create('tuned', model => 'fake/test', dimensions => 8, chunk_size => 60, chunk_overlap => 0, bm25_k1 => 0.9, bm25_b => 0.4, title_weight => 2.5, heading_weight => 1.5, part_weight => 0) IS NOT NULL AS created;
INSERT INTO kb_tuned.document (title, content, mime_type)
SELECT CASE WHEN n % 3 = 0 THEN 'Anchors and ropes' ELSE 'Sails ' || n END,
    E'# Of anchors\n\n' || repeat('rope ', n % 5) || E'is long.\n\n# Of sails ' || n || E'\n\n' || repeat('sail and rope and anchor ', n % 4) || 'end.',
    'text/markdown'
FROM generate_series(1, 60) n;
SELECT count(DISTINCT heading) AS headings FROM kb_tuned.chunk;
SELECT q, c.* FROM (VALUES ('anchor'), ('sail rope'), ('ropes and anchors of sails')) t (q),
    compare(q, 'tuned', '{kb_tuned}', 30, 0.9, 0.4, '{1,1,1.5,2.5}') c;
SELECT name, bm25_k1, bm25_b, title_weight, heading_weight FROM kb_list() WHERE name IN ('small', 'tuned') ORDER BY name;
SELECT * FROM error_of($$SELECT kb_create('x', bm25_k1 => -0.1)$$);
SELECT * FROM error_of($$SELECT kb_create('x', bm25_b => 1.5)$$);
SELECT * FROM error_of($$SELECT kb_create('x', bm25_b => 'NaN')$$);
SELECT * FROM error_of($$SELECT kb_create('x', title_weight => 11)$$);
SELECT * FROM error_of($$SELECT kb_create('x', ranker => 'tfidf')$$);
-- The extremes work too: k1 of 0 ignores the frequency, b of 0 the length.
SELECT kb_create('flat', model => 'fake/test', dimensions => 8, bm25_k1 => 0, bm25_b => 0, title_weight => 0, part_weight => 0) IS NOT NULL AS created;
INSERT INTO kb_flat.document (title, content) SELECT title, content FROM kb_small.document;
SELECT q, c.* FROM (VALUES ('whale'), ('harbour ship')) t (q), compare(q, 'flat', '{kb_flat}', 10, 0, 0) c;
-- A word that occurs only in titles of weight 0 finds nothing.
SELECT count(*) FROM kb_search('report', 'flat', 'keyword', 10);
SELECT kb_drop('flat');

-- Several bases are one corpus: statistics are pooled.
SELECT kb_create('other', model => 'fake/test', dimensions => 8, part_weight => 0) IS NOT NULL AS created;
INSERT INTO kb_other.document (content) SELECT 'whale and ship ' || repeat('deep ', n % 3) || n FROM generate_series(1, 40) n;
SELECT kb_attach_agent('a0000000-0000-0000-0000-0000000000a1', 'small'), kb_attach_agent('a0000000-0000-0000-0000-0000000000a1', 'other');
WITH found AS (
    SELECT *, row_number() OVER () AS place
    FROM kb_search('deep whale ship', mode => 'keyword', match_count => 50, agent_id => 'a0000000-0000-0000-0000-0000000000a1')
), wanted AS (
    SELECT w.*, row_number() OVER (ORDER BY round(w.score::numeric, 10) DESC, id) AS place FROM bm25('{kb_small,kb_other}', 'deep whale ship') w
    ORDER BY place LIMIT 50
)
SELECT count(*), count(DISTINCT knowledge_base) AS bases, bool_and(chunk_id = id) AS same_order, bool_and(abs(f.score - w.score) < 1e-9) AS same_scores
FROM found f FULL JOIN wanted w USING (place);

-- Rankers by call and by base. ts_rank and ts_rank_cd equal PostgreSQL's, with normalization 1.
WITH q AS (SELECT 'whale | ship | harbour'::tsquery AS q), wanted AS (
    SELECT id, ts_rank('{0.1,0.1,0.15,0.2}', without_parts(tsv), q, 1)::float8 AS rank, ts_rank_cd('{0.1,0.1,0.15,0.2}', without_parts(tsv), q, 1)::float8 AS rank_cd FROM kb_small.chunk, q WHERE tsv @@ q
)
SELECT ranker, count(*), bool_and(r.score = CASE ranker WHEN 'ts_rank' THEN w.rank ELSE w.rank_cd END) AS same_scores,
    min(r.score) >= (SELECT CASE ranker WHEN 'ts_rank' THEN (array_agg(rank ORDER BY rank DESC))[20] ELSE (array_agg(rank_cd ORDER BY rank_cd DESC))[20] END FROM wanted) AS best
FROM (VALUES ('ts_rank'), ('ts_rank_cd')) t (ranker),
    LATERAL kb_search('whale, ship or harbour', 'small', 'keyword', 20, ranker => ranker) r
JOIN wanted w ON w.id = r.chunk_id
GROUP BY ranker ORDER BY ranker;
SELECT kb_create('ranked', model => 'fake/test', dimensions => 8, ranker => 'ts_rank_cd', part_weight => 0) IS NOT NULL AS created;
INSERT INTO kb_ranked.document (content) SELECT 'whale and ship ' || repeat('deep ', n % 3) || n FROM generate_series(1, 40) n;
SELECT array_agg(score ORDER BY score DESC) = (SELECT array_agg(score ORDER BY score DESC) FROM kb_search('deep whale', 'ranked', 'keyword', 20, ranker => 'ts_rank_cd')) AS of_base,
    array_agg(score ORDER BY score DESC) = (SELECT array_agg(score ORDER BY score DESC) FROM kb_search('deep whale', 'ranked', 'keyword', 20, ranker => 'bm25')) AS is_bm25
FROM kb_search('deep whale', 'ranked', 'keyword', 20);
-- Bases with different rankers are ranked by the one whose scores are comparable.
SELECT kb_attach_agent('a0000000-0000-0000-0000-0000000000a2', 'ranked'), kb_attach_agent('a0000000-0000-0000-0000-0000000000a2', 'other');
SELECT count(*), array_agg(score) = (SELECT array_agg(score) FROM kb_search('deep whale', mode => 'keyword', match_count => 20, agent_id => 'a0000000-0000-0000-0000-0000000000a2', ranker => 'bm25')) AS by_bm25
FROM kb_search('deep whale', mode => 'keyword', match_count => 20, agent_id => 'a0000000-0000-0000-0000-0000000000a2');

-- Web-search operators: "exact phrase", -without, or.
SELECT kb_create('web', model => 'fake/test', dimensions => 8, part_weight => 0) IS NOT NULL AS created;
INSERT INTO kb_web.document (title, content) VALUES
    ('a', 'Set a timeout for every request to the server.'),
    ('b', 'The server may set its own timeout; a request waits.'),
    ('c', 'Async requests need no timeout.'),
    ('d', 'A request to the old version of the server.'),
    ('e', 'Nothing about it.');
SELECT q, array(SELECT title FROM kb_search(q, 'web', 'keyword', syntax => 'web') ORDER BY 1) AS keyword,
    array(SELECT title FROM kb_hybrid_search(q, 'web', syntax => 'web') ORDER BY 1) AS hybrid
FROM (VALUES
    ('timeout request'), ('"set a timeout"'), ('"set a timeout" version'), ('timeout -async'), ('timeout -"request waits"'),
    ('async or version'), ('"old version" "request to the"'), ('-timeout request'), ('timeout -'), ('"unclosed timeout'),
    ('"no such phrase"'), ('request -request'), ('-timeout'), ('""'), ('"the" timeout'), ('well-known timeout')
) t (q);

-- Only stop words, or only words that do not occur: the semantic arm answers alone.
SELECT q, (SELECT count(*) FROM kb_search(q, 'web', 'keyword')) AS keyword,
    (SELECT count(*) FROM kb_hybrid_search(q, 'web')) AS hybrid, (SELECT count(keyword_rank) FROM kb_hybrid_search(q, 'web')) AS ranked
FROM (VALUES ('the of and'), ('qwertz'), ('?!'), ('-'), ('🙂'), ('''')) t (q);

-- No text is an error.
DO $$
DECLARE
    pieces text[] := ARRAY['"', '-', ' ', 'or', 'and', 'not', '&', '|', '!', '(', ')', '<->', '<2>', ':*', ':A', '\', '''', '''''', E'\t', E'\n',
        '知识', 'か', '데', 'ไทย', 'é', '🙂', '%', '_', '@@', 'timeout', 'request', '::', '--', '/*', E'\u0001', E'\u200b', '1e9', 'http://x.y/z?a=b', 'a@b.c', '-"', '"-'];
    query text;
    asked int := 0;
BEGIN
    PERFORM setseed(0.5);
    FOR n IN 1..2000 LOOP
        SELECT string_agg(pieces[1 + floor(random() * cardinality(pieces))::int], CASE WHEN random() < 0.5 THEN ' ' ELSE '' END) INTO query
        FROM generate_series(1, 1 + (n % 12));
        CONTINUE WHEN btrim(query, E' \t\n\u200b') = '';
        PERFORM count(*) FROM kb_search(query, 'web', CASE WHEN n % 4 = 0 THEN 'hybrid' ELSE 'keyword' END,
            syntax => CASE WHEN n % 3 = 0 THEN 'plain' ELSE 'web' END);
        asked := asked + 1;
    END LOOP;
    RAISE EXCEPTION 'asked enough: %', asked > 1800 USING ERRCODE = 'P0001';
EXCEPTION WHEN raise_exception THEN
    SET LOCAL client_min_messages = notice;
    RAISE NOTICE '%', SQLERRM;
END
$$;

-- Fusion by relative score: every chunk found by an arm has its score in both; scores are min-max normalized, weighted and
-- summed. Keywords count five times, since the best chunk has the number of the question.
WITH keyword AS (SELECT chunk_id AS id, score FROM kb_search('whale harbour report 3', 'small', 'keyword', 10000)),
semantic AS (SELECT chunk_id AS id, score FROM kb_search('whale harbour report 3', 'small', 'semantic', 10000)),
candidate AS (
    (SELECT id FROM keyword ORDER BY score DESC, id LIMIT 50) UNION (SELECT id FROM semantic ORDER BY score DESC, id LIMIT 50)
), scored AS (
    SELECT id, coalesce(k.score, 0) AS keyword, s.score AS semantic FROM candidate LEFT JOIN keyword k USING (id) LEFT JOIN semantic s USING (id)
), wanted AS (
    SELECT id, 2 * 5 * (keyword - min(keyword) OVER ()) / (max(keyword) OVER () - min(keyword) OVER ())
        + 0.5 * (semantic - min(semantic) OVER ()) / (max(semantic) OVER () - min(semantic) OVER ()) AS score, keyword, semantic
    FROM scored
), best AS (
    SELECT *, row_number() OVER (ORDER BY round(score::numeric, 9) DESC, id) AS place FROM wanted ORDER BY place LIMIT 12
), found AS (
    SELECT *, row_number() OVER () AS place
    FROM kb_hybrid_search('whale harbour report 3', 'small', 12, fusion => 'relative', keyword_weight => 2, semantic_weight => 0.5)
)
SELECT count(*), bool_and(f.chunk_id = b.id) AS same, bool_and(abs(f.score - b.score) < 1e-9) AS same_scores,
    bool_and(abs(f.similarity - b.semantic) < 1e-9) AS similarities, bool_and(abs(coalesce(f.keyword_score, 0) - b.keyword) < 1e-9) AS keyword_scores,
    bool_or(f.semantic_rank IS NULL AND f.similarity IS NOT NULL) AS ranks_of_finders_only
FROM found f FULL JOIN best b USING (place);
SELECT count(*) FROM kb_hybrid_search('unheard of', 'small', 7, fusion => 'relative');
SELECT fusion, count(*), bool_and(score = keyword_score) AS own_score FROM (VALUES ('rrf'), ('relative')) t (fusion), LATERAL kb_search('whale', 'small', 'keyword', fusion => fusion) GROUP BY fusion ORDER BY fusion;

-- Texts that are not words: a character with thousands of marks; a query of ten thousand words.
INSERT INTO kb_web.document (title, content) VALUES ('f', 'ก' || repeat('็', 3000) || ' and one more timeout');
SELECT count(*) FROM kb_search('ก' || repeat('็', 3000) || ' timeout', 'web', 'keyword');
SELECT count(*) FROM kb_search('"ก' || repeat('็', 3000) || ' and one" -"ข' || repeat('็', 3000) || '"', 'web', 'keyword', syntax => 'web');
SELECT count(*) FROM kb_search((SELECT left(string_agg('w' || n, ' '), 65000) FROM generate_series(1, 12000) n) || ' timeout', 'web', 'keyword');
SELECT count(*) FROM kb_search((SELECT left(string_agg('w' || n, ' '), 65000) FROM generate_series(1, 12000) n) || ' timeout', 'web', 'keyword', ranker => 'ts_rank');
SELECT count(*) FROM kb_search((SELECT string_agg(chr(19968 + n * 7 % 20000), '') FROM generate_series(1, 15000) n), 'web', 'keyword');

-- A chunk with thousands of different words, whose segment has many rows, is ranked like any other.
SELECT kb_create('huge', model => 'fake/test', dimensions => 8, chunk_size => 1000000, chunk_overlap => 0, text_config => 'simple', part_weight => 0) IS NOT NULL AS created;
INSERT INTO kb_huge.document (content)
SELECT 'alpha ' || string_agg(md5(n::text) || md5((-n)::text) || ' ' || md5(n::text) || md5((-n)::text), ' ') FROM generate_series(1, 7400) n;
INSERT INTO kb_huge.document (content) SELECT repeat('alpha ', 1 + n % 3) || repeat('beta ', n % 2) || 'x' || n FROM generate_series(1, 400) n;
SELECT chunks, runs > 100 AS many_rows FROM kb_huge.keyword_segment ORDER BY id;
SELECT q, n, c.* FROM (VALUES ('alpha', 100), ('alpha beta', 100), ('beta', 300), ('alpha', 401), (md5('5') || md5('-5') || ' alpha', 401)) t (q, n),
    compare(q, 'huge', '{kb_huge}', n) c;

-- With a filter, candidates are checked until enough of them pass: here three of the best, and many behind them.
INSERT INTO kb_huge.document (content, metadata)
SELECT repeat('gamma ', CASE WHEN n <= 300 THEN 9 ELSE 1 END) || 'z' || n, jsonb_build_object('passes', n <= 3 OR n > 300) FROM generate_series(1, 340) n;
SELECT count(*) FROM kb_search('gamma', 'huge', 'keyword', 30, filter => '{"passes": true}');

SELECT kb_drop(name) FROM kb_list();
DROP FUNCTION compare, bm25;
