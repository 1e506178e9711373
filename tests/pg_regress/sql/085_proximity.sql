-- The ranker bm25_proximity: neighbors of the question that are near to each other.
SET client_min_messages = warning;
SELECT kb_create('near', model => 'fake/test', dimensions => 8, text_config => 'simple', chunk_strategy => 'none') IS NOT NULL AS created;
INSERT INTO kb_near.document (source_key, content) VALUES
    ('apart', 'heron one two three four lake five six seven eight nine ten'),
    ('near', 'one two three heron four lake five six seven eight nine ten'),
    ('turned', 'one lake heron two three four five six seven eight nine ten'),
    ('alone', 'one two three four heron five six seven eight nine ten eleven'),
    ('other', 'nothing of it is in this text at all and it has as many words');
INSERT INTO kb_near.document (source_key, title, content) VALUES ('title', 'heron', 'lake one two three four five six seven eight nine ten');
CREATE FUNCTION scores(question text, mode text DEFAULT 'hybrid', ranker text DEFAULT 'bm25_proximity') RETURNS TABLE (source text, bonus float8) LANGUAGE sql AS $$
    SELECT p.source, round((p.keyword_score - b.keyword_score)::numeric, 9)::float8
    FROM kb_search(question, 'near', mode, 20, ranker => ranker) p
    LEFT JOIN kb_search(question, 'near', mode, 20, ranker => 'bm25') b USING (chunk_id)
    WHERE p.keyword_score > 0 ORDER BY p.source
$$;
-- Half of the smaller inverse document frequency: of heron, which 5 of 6 chunks have, as of lake 4.
SELECT source, bonus, round(bonus::numeric, 6) = round((0.5 * ln(1 + 1.5 / 5.5))::numeric, 6) AS as_computed FROM scores('heron lake');
SELECT * FROM scores('lake heron');
SELECT * FROM scores('heron one lake');
SELECT * FROM scores('heron');
-- The order follows, by rank and by score. Keyword search alone is exact BM25.
SELECT ranker, array_agg(source ORDER BY keyword_rank, source) FILTER (WHERE keyword_rank <= 2) AS first FROM unnest('{bm25,bm25_proximity}'::text[]) ranker, kb_hybrid_search('heron lake', 'near', 20, ranker => ranker) GROUP BY 1 ORDER BY 1;
SELECT count(*), bool_and(bonus = 0) AS exact FROM scores('heron lake', 'keyword');
-- As a setting of the base, and of bases that differ.
SELECT kb_configure('near', ranker => 'bm25_proximity');
SELECT (SELECT array_agg(keyword_score ORDER BY chunk_id) FROM kb_search('heron lake', 'near', match_count => 20))
    = (SELECT array_agg(keyword_score ORDER BY chunk_id) FROM kb_search('heron lake', 'near', match_count => 20, ranker => 'bm25_proximity')) AS of_base;
SELECT ranker FROM kb_list() WHERE name = 'near';
-- Under row security only visible chunks are read.
CREATE ROLE kb_test085_reader;
SELECT kb_grant('near', 'kb_test085_reader', 'read');
ALTER TABLE kb_near.document ENABLE ROW LEVEL SECURITY;
ALTER TABLE kb_near.chunk ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON kb_near.document FOR SELECT USING (source_key <> 'near');
CREATE POLICY see ON kb_near.chunk FOR SELECT USING (document_id IN (SELECT id FROM kb_near.document));
SET ROLE kb_test085_reader;
SELECT source, keyword_score > 0 AS found FROM kb_search('heron lake', 'near', match_count => 20) ORDER BY keyword_score DESC NULLS LAST, source LIMIT 3;
RESET ROLE;
SELECT kb_drop('near');
DROP ROLE kb_test085_reader;
DROP FUNCTION scores;
