-- The BM25 statistics match the tables, whatever is done to them; and pruning loses nothing.
SET client_min_messages = warning;
SELECT kb_create('counted', model => 'fake/test', dimensions => 4, text_config => 'simple', index_method => 'none', chunk_strategy => 'none') IS NOT NULL AS created;
CREATE VIEW figures AS
    SELECT (SELECT array_agg((text_config, chunks, length)::text ORDER BY text_config) FROM (
            SELECT text_config, sum(chunks) AS chunks, sum(length) AS length FROM kb_counted.corpus GROUP BY 1 HAVING sum(chunks) <> 0) a)
        IS NOT DISTINCT FROM (SELECT array_agg((text_config, chunks, length)::text ORDER BY text_config) FROM (
            SELECT text_config, count(*) AS chunks, sum(length) AS length FROM kb_counted.chunk GROUP BY 1) b) AS equal,
        (SELECT count(*) FROM kb_counted.chunk) AS chunks,
        (SELECT count(*) FROM kb_counted.corpus) <= 201 AS few_rows;
SELECT * FROM figures;
INSERT INTO kb_counted.document (content, source_key) SELECT 'word ' || n, 'k' || n FROM generate_series(1, 20) n;
SELECT * FROM figures;
UPDATE kb_counted.document SET content = content || ' and more' WHERE source_key < 'k15';
SELECT * FROM figures;
UPDATE kb_counted.document SET metadata = '{"a": 1}';
SELECT * FROM figures;
DELETE FROM kb_counted.document WHERE source_key LIKE 'k1%';
SELECT * FROM figures;
BEGIN;
INSERT INTO kb_counted.document (content) VALUES ('gone again');
SAVEPOINT s;
DELETE FROM kb_counted.document;
ROLLBACK TO s;
SELECT * FROM figures;
ROLLBACK;
SELECT * FROM figures;
DO $$ BEGIN FOR n IN 1..300 LOOP INSERT INTO kb_counted.document (content) VALUES ('one at a time'); END LOOP; END $$;
SELECT * FROM figures;
TRUNCATE kb_counted.document CASCADE;
SELECT *, (SELECT count(*) FROM kb_counted.corpus) AS corpus, (SELECT count(*) FROM kb_counted.term) AS terms FROM figures;

-- A large base: common words, some of them often in one chunk, chunks of different length, rare words, a very long word.
INSERT INTO kb_counted.document (content)
SELECT string_agg(CASE WHEN r < 0.2 THEN 'alpha' WHEN r < 0.35 THEN 'beta' WHEN r < 0.45 THEN 'gamma' WHEN r < 0.5 THEN 'delta'
    WHEN r < 0.51 THEN 'epsilon' WHEN r < 0.6 THEN 'often' || (n * 7 + i) % 40 ELSE 'rare' || (n * 31 + i * 17) % 5000 END, ' ')
FROM (
    -- Reproducible, and without a pattern that could correlate words.
    SELECT n, i, (hashint8(n::int8 * 1000 + i)::int8 + 2147483648) / 4294967296.0 AS r
    FROM generate_series(1, 4000) n, generate_series(1, 5 + (n * n) % 90) i
) w GROUP BY n;
INSERT INTO kb_counted.document (content)
SELECT repeat('zeta ', 20) || string_agg('x' || md5(n::text), ' ') || ' alpha beta gamma' FROM generate_series(1, 20000) n;
SELECT * FROM figures;
-- Common words are counted in advance, to within a tenth; others when a query asks.
SELECT count(*) > 40 AS common, max(abs(t.chunks::float8 * total / t.of_chunks - c.df) / c.df) <= 0.1 AS fresh
FROM kb_counted.term t
JOIN (SELECT lexeme, count(*) AS df FROM kb_counted.chunk, unnest(tsv) GROUP BY lexeme) c ON c.lexeme = t.lexeme COLLATE "C",
    (SELECT count(*) AS total FROM kb_counted.chunk) n;
SELECT count(*) AS missing
FROM (SELECT lexeme, count(*) AS df FROM kb_counted.chunk, unnest(tsv) GROUP BY lexeme) c
WHERE df > 0.015 * (SELECT count(*) FROM kb_counted.chunk) AND NOT EXISTS (SELECT FROM kb_counted.term t WHERE t.lexeme = c.lexeme COLLATE "C");

VACUUM ANALYZE kb_counted.chunk;
-- Every chunk scored with the frequencies in use, without pruning.
CREATE FUNCTION unpruned(query text, count int) RETURNS TABLE (id uuid, score float8) LANGUAGE sql AS $$
    WITH n AS (SELECT count(*)::float8 AS chunks, avg(length)::float8 AS mean FROM kb_counted.chunk), term AS (
        SELECT l.lexeme, ln(1 + (n.chunks - df + 0.5) / (df + 0.5)) AS idf
        FROM n, unnest(tsvector_to_array(to_tsvector('simple', query))) AS l (lexeme),
            LATERAL (SELECT coalesce(
                (SELECT t.chunks * n.chunks / t.of_chunks FROM kb_counted.term t WHERE t.lexeme = l.lexeme COLLATE "C"),
                (SELECT count(*) FROM kb_counted.chunk c WHERE c.tsv @@ quote_literal(l.lexeme)::tsquery)) AS df) f
    )
    SELECT c.id, sum(term.idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * c.length / n.mean)))::float8 AS score
    FROM n, kb_counted.chunk c, unnest(c.tsv) u, LATERAL (SELECT cardinality(u.positions) AS tf) f, term
    WHERE term.lexeme = u.lexeme
    GROUP BY c.id ORDER BY round(sum(term.idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * c.length / n.mean)))::numeric, 9) DESC, c.id LIMIT count
$$;
-- The number of chunk rows that a search fetches.
CREATE FUNCTION fetched(query text, count int) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
    before int8 := pg_stat_get_xact_tuples_fetched('kb_counted.chunk'::regclass);
BEGIN
    PERFORM count(*) FROM kb_search(query, 'counted', 'keyword', count);
    RETURN pg_stat_get_xact_tuples_fetched('kb_counted.chunk'::regclass) - before;
END
$$;
SELECT q, n, count(f.place) AS results, bool_and(f.chunk_id = w.id) AS same, bool_and(abs(f.score - w.score) < 1e-6) AS same_scores,
    -- If few chunks can be among the best, most of the others are not read.
    CASE WHEN q ~ '^(gamma|often3|rare1) ' THEN fetched(q, n) < 0.3 * (SELECT count(*)::numeric FROM kb_counted.chunk WHERE tsv @@ (SELECT string_agg(quote_literal(l), ' | ')::tsquery FROM unnest(tsvector_to_array(to_tsvector('simple', q))) l)) END AS pruned
FROM (VALUES
    ('alpha', 10), ('alpha beta', 10), ('alpha beta gamma delta', 10), ('epsilon alpha', 10), ('often3 alpha beta', 10),
    ('rare77 alpha', 10), ('rare1 rare2 rare3 alpha beta gamma delta epsilon often1 often2', 10), ('zeta alpha', 10),
    ('alpha beta gamma', 200), ('gamma delta epsilon often5 often6 often7 often8 often9', 10), ('rare5000', 10)
) t (q, n)
CROSS JOIN LATERAL (SELECT *, row_number() OVER () AS place FROM kb_search(q, 'counted', 'keyword', n)) f
JOIN LATERAL (SELECT *, row_number() OVER () AS place FROM unpruned(q, n)) w USING (place)
GROUP BY q, n ORDER BY q, n;
-- A filter does not lose results either.
UPDATE kb_counted.document SET metadata = '{"part": 1}' WHERE id IN (SELECT document_id FROM kb_counted.chunk WHERE length < 40 AND ordinal = 0);
SELECT q, count(*) AS results, bool_and(f.chunk_id = w.id) AS same
FROM (VALUES ('alpha beta gamma delta'), ('rare77 alpha')) t (q)
CROSS JOIN LATERAL (SELECT *, row_number() OVER () AS place FROM kb_search(q, 'counted', 'keyword', 20, filter => '{"part": 1}')) f
JOIN LATERAL (
    SELECT u.*, row_number() OVER () AS place FROM unpruned(q, 5000) u JOIN kb_counted.chunk c USING (id) WHERE c.metadata @> '{"part": 1}' LIMIT 20
) w USING (place)
GROUP BY q ORDER BY q;

-- The index is used, and no row is rechecked.
DELETE FROM kb_counted.document;
SELECT * FROM figures;
SELECT count(*) FROM kb_search('alpha', 'counted', 'keyword');
DROP FUNCTION unpruned, fetched;
DROP VIEW figures;
SELECT kb_drop('counted');
