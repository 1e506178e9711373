-- Search: modes, arms, fusion, ties, filters, scopes.
SET client_min_messages = warning;
SELECT kb_create('animals', model => 'fake/test', dimensions => 64) IS NOT NULL AS created;
INSERT INTO kb_animals.document (title, content, source_key, source_type, metadata) VALUES
    ('Cats', 'Cats sleep most of the day and hunt at night.', 'cats.txt', 'document', '{"kind": "pet", "legs": 4}'),
    ('Dogs', 'Dogs guard the house and like long walks.', 'dogs.txt', 'document', '{"kind": "pet", "legs": 4}'),
    ('Birds', 'Birds sing at dawn and sleep in trees.', 'birds.txt', 'webpage', '{"kind": "wild", "legs": 2}'),
    ('Snakes', 'Snakes have no legs and sleep under stones.', 'snakes.txt', 'webpage', '{"kind": "wild", "legs": 0}'),
    (NULL, 'Fish do not close their eyes.', NULL, 'document', '{"kind": "wild", "legs": 0}');

SELECT title, source, content, round(score::numeric, 5) AS score, round(similarity::numeric, 3) AS similarity,
    round(keyword_score::numeric, 5) AS keyword_score, semantic_rank, keyword_rank, knowledge_base, metadata
FROM kb_hybrid_search('which animals sleep at night?', 'animals');
SELECT (kb_hybrid_search('dogs', 'animals', 1)).title;
SELECT title, score = keyword_score AS own_score, similarity, semantic_rank, keyword_rank FROM kb_search('sleep legs', 'animals', 'keyword');
SELECT title, score = similarity AS own_score, keyword_score, semantic_rank, keyword_rank FROM kb_search('sleep legs', 'animals', 'semantic');

-- The keyword arm is an OR: a question of many words finds chunks with some of them. Stop words alone find nothing by
-- keyword, and do not affect the semantic arm.
SELECT count(*) FROM kb_search('do you know whether dogs ever walk across frozen rivers', 'animals', 'keyword');
SELECT count(*) FROM kb_search('what is the', 'animals', 'keyword');
SELECT count(*) FROM kb_hybrid_search('what is the', 'animals');
SELECT count(*) FROM kb_hybrid_search('!!! & | <-> '' \ :* "', 'animals');

-- Filters apply inside both arms, and there are never fewer results than exist.
SELECT title FROM kb_hybrid_search('sleep', 'animals', filter => '{"kind": "pet"}');
SELECT title FROM kb_hybrid_search('sleep', 'animals', filter => '{"kind": "wild", "legs": 0}');
SELECT title FROM kb_hybrid_search('sleep', 'animals', source_type => 'webpage');
SELECT title FROM kb_hybrid_search('sleep', 'animals', source_type => 'webpage', filter => '{"legs": 2}');
SELECT title FROM kb_hybrid_search('sleep', 'animals', filter => '{"title": "Cats"}');
SELECT count(*) FROM kb_hybrid_search('sleep', 'animals', filter => '{"kind": "mythical"}');
SELECT n, (SELECT count(*) FROM kb_hybrid_search('sleep', 'animals', n)) FROM generate_series(1, 7) n;

-- Weights: 0 disables an arm.
SELECT title, similarity FROM kb_hybrid_search('sleep', 'animals', semantic_weight => 0);
SELECT count(keyword_rank), count(semantic_rank) FROM kb_hybrid_search('sleep', 'animals', keyword_weight => 0);
SELECT round(score::numeric, 6) AS score FROM kb_hybrid_search('cats sleep', 'animals', 1, keyword_weight => 3, semantic_weight => 0.5, rrf_k => 10);

-- The caller's own vector, with or without words.
SELECT title FROM kb_hybrid_search('', 'animals', 1, query_embedding => kb_embed('Snakes Snakes have no legs', 'fake/test', 64));
SELECT title FROM kb_search('ignored', 'animals', 'semantic', 1, query_embedding => kb_embed('Snakes Snakes have no legs', 'fake/test', 64));

-- max_per_document spreads results over documents, even if one of them is very long.
SELECT kb_create('long', model => 'fake/test', dimensions => 64, chunk_size => 40, chunk_overlap => 0, ranker => 'ts_rank', title_weight => 1) IS NOT NULL AS created;
SELECT kb_add('long', repeat('Penguins swim in cold water. ', 400), title => 'All about penguins') IS NOT NULL AS added;
SELECT kb_add('long', 'Penguins cannot fly over water at all.', title => 'Another') IS NOT NULL AS added;
SELECT DISTINCT title FROM kb_hybrid_search('penguins swim in cold water', 'long', 20);
SELECT title FROM kb_hybrid_search('penguins swim in cold water', 'long', 20, max_per_document => 1);

-- Deterministic ties: equal chunks are ordered by id.
SELECT array_agg(chunk_id) = array_agg(chunk_id ORDER BY score DESC, chunk_id) AS ordered, count(DISTINCT score) AS scores
FROM kb_search('penguins swim in cold water', 'long', 'keyword', 100);

-- Fusion equals a plain SQL oracle: reciprocal ranks of the two arms, depth 80 and 50; ties by keyword, then by vector. Chunks with
-- equal scores share a rank, also those that one arm did not list and the other one has found (of the first 20 by keyword). What
-- four times the depth adds comes last, with at most the last score before.
CREATE FUNCTION fused(question text, k int, kw float8, sw float8, deeper int)
RETURNS TABLE (chunk_id uuid, score float8, semantic_rank int, keyword_rank int, place bigint) LANGUAGE sql AS $$
    WITH all_by_keyword AS MATERIALIZED (
        SELECT id, r, row_number() OVER (ORDER BY r DESC, id) AS place, rank() OVER (ORDER BY r DESC) AS rank
        FROM (SELECT id, ts_rank('{0.1,0.1,0.1,0.1}', tsv, q, 1) AS r
            FROM kb_long.chunk,
                (SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery AS q
                 FROM unnest(tsvector_to_array(to_tsvector('english', question))) lexeme) t
            WHERE tsv @@ q) c
    ), all_by_vector AS MATERIALIZED (
        SELECT e.chunk_id AS id, row_number() OVER (ORDER BY e.embedding <=> v, e.chunk_id) AS place, rank() OVER (ORDER BY e.embedding <=> v) AS rank
        FROM kb_long.embedding e, kb_embed(question, 'fake/test', 64) v
    ), keyword AS (
        SELECT id, rank FROM all_by_keyword
        WHERE place <= 80 * deeper OR rank = (SELECT rank FROM all_by_keyword WHERE place = 80 * deeper)
            AND id IN (SELECT id FROM all_by_vector WHERE place <= 50 * deeper)
    ), semantic AS (
        SELECT id, rank FROM all_by_vector
        WHERE place <= 50 * deeper OR rank = (SELECT rank FROM all_by_vector WHERE place = 50 * deeper)
            AND id IN (SELECT id FROM all_by_keyword WHERE place <= 20)
    )
    SELECT id, score, s, w, row_number() OVER (ORDER BY score DESC, w, s, id)
    FROM (SELECT id, coalesce(sw / (k + s.rank), 0) + coalesce(kw / (k + w.rank), 0) AS score, s.rank::int AS s, w.rank::int AS w
        FROM semantic s FULL JOIN keyword w USING (id)) f
$$;
CREATE FUNCTION oracle(question text, k int, kw float8, sw float8, results int)
RETURNS TABLE (chunk_id uuid, score float8, semantic_rank int, keyword_rank int) LANGUAGE sql AS $$
    WITH first AS (SELECT * FROM fused(question, k, kw, sw, 1))
    SELECT chunk_id, score, semantic_rank, keyword_rank
    FROM (SELECT *, 1 AS depth FROM first
        UNION ALL
        SELECT chunk_id, least(score, (SELECT min(score) FROM first)), semantic_rank, keyword_rank, place, 4
        FROM fused(question, k, kw, sw, 4) WHERE chunk_id NOT IN (SELECT chunk_id FROM first)) f
    ORDER BY depth, place LIMIT results
$$;
INSERT INTO kb_long.document (title, content)
SELECT 'Doc ' || n % 37, (ARRAY['Penguins', 'Seals', 'Whales', 'Bears'])[1 + n % 4] || ' ' || (ARRAY['swim', 'dive', 'sleep'])[1 + n % 3] || ' in ' || (ARRAY['cold', 'warm'])[1 + n % 2] || ' water ' || n
FROM generate_series(1, 300) n;
SELECT q, k, n, count(h.chunk_id) AS results, count(o.chunk_id) AS expected,
    bool_and(h.chunk_id = o.chunk_id AND abs(h.score - o.score) < 1e-12
        AND h.semantic_rank IS NOT DISTINCT FROM o.semantic_rank
        AND h.keyword_rank IS NOT DISTINCT FROM o.keyword_rank) AS equal
FROM (VALUES
    ('do penguins swim in warm water', 60, 1.0, 1.0, 5),
    ('whales', 1, 2.0, 0.5, 40),
    ('bears or seals sleep', 0, 1.0, 3.0, 100),
    ('nothing of the kind exists', 60, 1.0, 1.0, 10)
) t (q, k, kw, sw, n)
CROSS JOIN LATERAL generate_series(1, n) AS place
LEFT JOIN LATERAL (
    SELECT *, row_number() OVER () AS place
    FROM kb_hybrid_search(q, 'long', n, rrf_k => k, keyword_weight => kw, semantic_weight => sw)
) h USING (place)
LEFT JOIN LATERAL (SELECT *, row_number() OVER () AS place FROM oracle(q, k, kw, sw, n)) o USING (place)
GROUP BY q, k, n ORDER BY q;

-- Of texts that the words do not tell apart, the nearest comes first, not the oldest.
SELECT kb_create('ties', model => 'fake/test', dimensions => 64) IS NOT NULL AS created;
INSERT INTO kb_ties.document (content) SELECT 'The ' || name || ' protocol is used by the gateway.'
FROM unnest(ARRAY['amber', 'birch', 'cedar', 'delta', 'ember', 'falcon', 'garnet', 'harbor', 'indigo', 'jasper', 'secret', 'velvet']) name;
SELECT content, semantic_rank, keyword_rank, keyword_score = max(keyword_score) OVER () AS equal
FROM kb_hybrid_search('which protocol', 'ties', 3, query_embedding => kb_embed('The secret protocol is used by the gateway.', 'fake/test', 64));

-- match_offset skips the best: pages follow each other without a gap.
SELECT fusion, count(*) AS rows, bool_and(whole.h IS NOT DISTINCT FROM page.h) AS same
FROM unnest(ARRAY['rrf', 'relative']) fusion
CROSS JOIN LATERAL (SELECT row_number() OVER () AS place, h FROM kb_search('whales sleep', 'long', match_count => 60, fusion => fusion) h) whole
LEFT JOIN LATERAL (
    SELECT start + row_number() OVER (PARTITION BY start) AS place, h
    FROM generate_series(0, 50, 10) start, kb_search('whales sleep', 'long', match_count => 10, fusion => fusion, match_offset => start) h
) page USING (place)
GROUP BY fusion ORDER BY fusion;
SELECT count(*) FROM kb_hybrid_search('whales', 'long', 10, match_offset => 9990);
SELECT array(SELECT document_id FROM kb_search_documents('whales', 'long', 3, match_offset => 3)) = (array(SELECT document_id FROM kb_search_documents('whales', 'long', 6)))[4:6] AS same;

-- A third of the chunks have no vector. Only those that can be among the results are looked up: with max_per_document, all are.
DELETE FROM kb_long.embedding e USING kb_long.chunk c WHERE c.id = e.chunk_id AND c.content LIKE '%sleep%';
SELECT q, k, n, count(*) AS results, count(*) FILTER (WHERE few IS DISTINCT FROM looked_up) AS different,
    count(*) FILTER (WHERE few->'similarity' = 'null') AS without_vector, count(*) FILTER (WHERE few->'semantic_rank' = 'null') AS by_keyword
FROM (VALUES ('do penguins swim in warm water', 10), ('whales', 1), ('bears or seals sleep', 0), ('cold seals sleep', 60)) q (q, k)
CROSS JOIN (VALUES (1), (10), (60)) n (n)
CROSS JOIN LATERAL (
    SELECT few, looked_up
    FROM (SELECT to_jsonb(h) AS few, row_number() OVER () AS place FROM kb_search(q, 'long', match_count => n, fusion => 'rrf', rrf_k => k) h) a
    FULL JOIN (
        SELECT to_jsonb(h) AS looked_up, row_number() OVER () AS place
        FROM kb_search(q, 'long', match_count => n, fusion => 'rrf', rrf_k => k, max_per_document => 1000) h
    ) b USING (place)
) s
GROUP BY q, k, n ORDER BY q, n;

-- Works inside read-only and REPEATABLE READ transactions, and writes nothing.
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT title FROM kb_hybrid_search('dogs', 'animals', 1);
SELECT pg_current_xact_id_if_assigned() IS NULL AS no_write;
COMMIT;

-- STABLE: sees what its statement's snapshot sees.
PREPARE ask(text) AS SELECT title FROM kb_hybrid_search($1, 'animals', 1);
EXECUTE ask('birds');
EXECUTE ask('snakes');
DEALLOCATE ask;

-- Invalid arguments.
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search(NULL, 'animals')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('', 'animals')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('  ', 'animals')$$);
SELECT * FROM error_of($$SELECT * FROM kb_search('', 'animals', 'keyword', query_embedding => kb_embed('x', 'fake/test', 64))$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search(repeat('x', 1048576), 'animals')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'none')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', 0)$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', 10001)$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', filter => '[1]')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', keyword_weight => -1)$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', keyword_weight => 'NaN')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', semantic_weight => 'Infinity')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', semantic_weight => 0, keyword_weight => 0)$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', rrf_k => -1)$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', max_per_document => 0)$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', fusion => 'sum')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', ranker => 'tfidf')$$);
SELECT * FROM error_of($$SELECT * FROM kb_search('x', 'animals', 'fuzzy')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', query_embedding => '[1,2,3]')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', query_embedding => array_fill(0, ARRAY[64])::vector)$$);
SELECT state FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', query_embedding => '[NaN]')$$);
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'animals', agent_id => '00000000-0000-0000-0000-000000000001')$$);
DROP FUNCTION oracle;
SELECT kb_drop('long');
SELECT kb_drop('animals');
