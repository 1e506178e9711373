-- Questions of thousands of words are ranked by their most informative words.
SELECT kb_create('words', model => 'fake/a', dimensions => 8, text_config => 'simple', chunk_strategy => 'none', part_weight => 0) IS NOT NULL AS created;
-- Word n is in n % 60 of 60 documents, or in one if that is 0; word60 is in all.
INSERT INTO kb_words.document (source_key, content)
SELECT d, (SELECT string_agg('word' || n, ' ' ORDER BY n) FROM generate_series(1, 1200) n WHERE n % 60 >= d OR d = 1 OR n = 60)
FROM generate_series(1, 60) d;
CREATE FUNCTION ask(query text, mode text DEFAULT 'keyword', ranker text DEFAULT NULL, syntax text DEFAULT 'plain')
RETURNS TABLE (source text, score numeric) LANGUAGE sql AS $$
    SELECT source, round(score::numeric, 6) FROM kb_search(query, 'words', mode, 3, ranker => ranker, syntax => syntax)
$$;
SELECT string_agg('word' || n, ' ') AS all_words FROM generate_series(1, 1200) n \gset
SELECT string_agg('word' || n, ' ') AS rarest_words FROM (
    SELECT n FROM generate_series(1, 1200) n ORDER BY n = 60, greatest(n % 60, 1), ('word' || n) COLLATE "C" LIMIT 256
) w \gset
-- 256 lexemes are kept. Words that occur in no chunk change nothing.
SELECT * FROM ask(:'all_words');
SELECT * FROM ask(:'rarest_words');
SELECT * FROM ask(:'rarest_words' || ' ' || (SELECT string_agg('nowhere' || n, ' ') FROM generate_series(1, 1000) n));
SELECT ranker, count(*) FROM unnest('{bm25,ts_rank,ts_rank_cd}'::text[]) ranker, ask(:'all_words', 'hybrid', ranker) GROUP BY ranker ORDER BY ranker;
SELECT count(*) FROM ask(:'all_words', 'semantic');
-- ts_rank and ts_rank_cd give PostgreSQL's results for any number of words.
SELECT ranker, count(*) AS results, count(*) FILTER (WHERE abs(s.score - CASE ranker
        WHEN 'ts_rank' THEN ts_rank('{0.1,0.1,0.15,0.2}', without_parts(c.tsv), q.words::tsquery, 1)
        ELSE ts_rank_cd('{0.1,0.1,0.15,0.2}', without_parts(c.tsv), q.words::tsquery, 1) END) > 1e-6) AS different
FROM generate_series(1, 121, 40) m,
    LATERAL (SELECT string_agg('word' || n * 4, ' | ') AS words FROM generate_series(1, m) n) q,
    unnest('{ts_rank,ts_rank_cd}'::text[]) ranker,
    LATERAL kb_search(replace(q.words, '|', ''), 'words', 'keyword', 60, ranker => ranker) s
    JOIN kb_words.chunk c ON c.id = s.chunk_id
GROUP BY ranker ORDER BY ranker;
-- Phrases and exclusions apply to every result: none can be dropped.
SELECT * FROM ask(:'all_words' || repeat(' "word119 word120"', 2500), syntax => 'web');
SELECT state, message, hint FROM error_of(format('SELECT ask(%L, syntax => ''web'')', (SELECT string_agg('"word' || n || '"', ' ') FROM generate_series(1, 1025) n)));
SELECT state, message, hint FROM error_of(format('SELECT ask(%L, syntax => ''web'')', 'word1 ' || (SELECT string_agg('-word' || n, ' ') FROM generate_series(2, 130) n)));
SELECT state, message FROM error_of(format('SELECT ask(%L, syntax => ''web'')', 'word1 -"' || (SELECT string_agg('word' || n, ' ') FROM generate_series(2, 130) n) || '"'));
SELECT count(*) FROM ask('word60 ' || (SELECT string_agg('-word' || n, ' ') FROM generate_series(70, 197) n), syntax => 'web');
SELECT count(*) FROM ask('"' || (SELECT string_agg('word' || n, ' ') FROM generate_series(1, 1024) n) || '"', syntax => 'web');
-- Plain text has neither: any number of quotes and dashes is ranked as words.
SELECT * FROM ask('word60 ' || (SELECT string_agg('"word' || n || '" -word' || n, ' ') FROM generate_series(1, 1100) n));
SELECT kb_drop('words');
DROP FUNCTION ask;
