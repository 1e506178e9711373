-- Row security where the caller sees many chunks: candidates are checked, and statistics estimated from samples.
SET client_min_messages = warning;
CREATE ROLE kb_regress_mary;
SELECT kb_create(name, model => 'fake/test', dimensions => 8, chunk_strategy => 'none') IS NOT NULL AS created FROM unnest(ARRAY['mixed', 'alone']) name;
-- 600 documents that mary may see, each with the word acme, among 1,200 others in kb_mixed, and nothing else in kb_alone. Words of
-- higher numbers are rarer.
CREATE TEMP TABLE passage AS
SELECT n, n % 3 = 0 AS is_visible, (SELECT string_agg('w' || floor(power(('x' || substr(md5(n || ' ' || w), 1, 6))::bit(24)::int / 16777216.0, 3) * 200), ' ')
    FROM generate_series(1, 25 + n % 20) w) || CASE WHEN n % 3 = 0 THEN ' acme' ELSE ' secret' END AS content
FROM generate_series(1, 1800) n;
INSERT INTO kb_mixed.document (source_key, content, metadata, language)
SELECT n, content, jsonb_build_object('owner', CASE WHEN is_visible THEN 'kb_regress_mary' ELSE 'kb_regress_bert' END), CASE WHEN NOT is_visible THEN 'de' END FROM passage ORDER BY n;
INSERT INTO kb_alone.document (source_key, content, metadata) SELECT n, content, '{"owner": "kb_regress_mary"}' FROM passage WHERE is_visible ORDER BY n;
ALTER TABLE kb_mixed.document ENABLE ROW LEVEL SECURITY;
ALTER TABLE kb_mixed.chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE kb_mixed.embedding ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON kb_mixed.document USING (metadata->>'owner' = current_user);
CREATE POLICY own ON kb_mixed.chunk USING (EXISTS (SELECT FROM kb_mixed.document d WHERE d.id = document_id));
CREATE POLICY own ON kb_mixed.embedding USING (EXISTS (SELECT FROM kb_mixed.chunk c WHERE c.id = chunk_id));
SELECT kb_grant(name, 'kb_regress_mary', 'read') FROM unnest(ARRAY['mixed', 'alone']) name;
VACUUM ANALYZE kb_mixed.document, kb_mixed.chunk, kb_mixed.embedding, kb_alone.chunk, kb_alone.embedding;
-- Results of equal scores may come in any order: ids are random.
CREATE FUNCTION found(base text, mode text, query text, more text) RETURNS TABLE (source text, score numeric, keyword_score float8) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT source, round(score::numeric, 12), keyword_score FROM kb_search(%L, %L, %L, 10%s)', query, base, mode, more);
END
$$;
CREATE FUNCTION scores(base text, mode text, query text, more text) RETURNS numeric[] BEGIN ATOMIC
    SELECT array_agg(score ORDER BY score DESC) FROM found(base, mode, query, more);
END;
CREATE TEMP TABLE asked AS SELECT mode, query, more FROM unnest(ARRAY['hybrid', 'keyword', 'semantic']) mode,
    unnest(ARRAY['w3 w50', 'acme w180', 'w0', 'w12 w33 w90 w150', 'secret w44', '"w1 w2" w30', 'w20 -w1']) query,
    unnest(ARRAY['', $$, filter => '{"owner": "kb_regress_mary"}'$$, $$, ranker => 'ts_rank'$$, ', max_per_document => 1, match_threshold => 0.2', ', match_offset => 3']) more;
GRANT SELECT ON asked TO kb_regress_mary;

-- Listed: the same as in a base that holds nothing else.
SET ROLE kb_regress_mary;
SELECT mode, count(*) AS calls, count(*) FILTER (WHERE scores('alone', mode, query, more) IS DISTINCT FROM scores('mixed', mode, query, more)) AS different
FROM asked GROUP BY 1 ORDER BY 1;
-- Estimated from samples that have every chunk: the same again. All vectors of a base that is so small are compared.
RESET ROLE;
SET kb_rag.test_limits = 'listed_chunks=1, large_sample=5000, first_sample=5000, checked_of_lexeme=5000';
SET ROLE kb_regress_mary;
SELECT mode, count(*) AS calls, count(*) FILTER (WHERE scores('alone', mode, query, more) IS DISTINCT FROM scores('mixed', mode, query, more)) AS different
FROM asked GROUP BY 1 ORDER BY 1;

-- Estimated from small samples: scores differ a little from those of a base of one's own, and by nothing from call to call.
RESET ROLE;
SET kb_rag.test_limits = 'listed_chunks=1, checked_of_lexeme=32';
SET ROLE kb_regress_mary;
CREATE TEMP TABLE compared AS
SELECT a.mode, a.query, o.source, o.keyword_score AS alone, m.keyword_score AS mixed
FROM asked a CROSS JOIN LATERAL found('alone', a.mode, a.query, a.more) o
LEFT JOIN LATERAL found('mixed', a.mode, a.query, a.more) m USING (source) WHERE a.more = '' AND a.mode <> 'semantic';
SELECT mode, count(*) AS found, avg((mixed IS NOT NULL)::int) > 0.9 AS mostly_the_same, bool_and(abs(mixed - alone) < 0.1 + 0.05 * alone) AS near, bool_or(mixed <> alone) AS estimated
FROM compared WHERE alone IS NOT NULL GROUP BY 1 ORDER BY 1;

SELECT count(*) FILTER (WHERE scores('mixed', mode, query, more) IS DISTINCT FROM scores('mixed', mode, query, more)) AS unstable FROM asked;
-- A word of all visible documents is common for their reader, though it is rare in the base; a hidden word finds nothing.
SELECT base, (SELECT max(keyword_score) < 0.1 FROM found(base, 'keyword', 'acme', '')) AS common, (SELECT count(*) FROM found(base, 'keyword', 'secret', '')) AS secret
FROM unnest(ARRAY['alone', 'mixed']) base;

-- Good candidates that are all hidden do not end a search before it has found what is visible. The vector index is used.
RESET ROLE;
SET kb_rag.test_limits = 'listed_chunks=1, min_checked=10, max_candidates=100, exact_rows=100, index_row_cost=1';
SET ROLE kb_regress_mary;
SELECT mode, min(found) AS least, max(found) AS most FROM asked, LATERAL (SELECT count(*) AS found FROM found('mixed', mode, query, more)) f WHERE query IN ('w0', 'w3 w50') AND more = '' GROUP BY 1 ORDER BY 1;
-- Several bases, of which one has policies; and another role in the next statement.
RESET ROLE;
SELECT kb_attach_agent(kb_agent('both'), name) IS NOT NULL AS attached FROM unnest(ARRAY['mixed', 'alone']) name;
SET kb_rag.test_limits = 'listed_chunks=1';
SET ROLE kb_regress_mary;
SELECT knowledge_base, count(*) > 5 AS found, count(*) FILTER (WHERE metadata->>'owner' <> 'kb_regress_mary') AS of_others FROM kb_search('acme w180', agent_id => kb_agent('both'), match_count => 100) GROUP BY 1 ORDER BY 1;
RESET ROLE;
SELECT count(*) AS of_all FROM kb_search('secret', 'mixed', 'keyword');
SET ROLE kb_regress_mary;
SELECT count(*) AS of_mary FROM kb_search('secret', 'mixed', 'keyword');

-- A visible chunk in a language of hidden ones is found by its words, and left out by excluded ones; hidden languages change nothing.
RESET ROLE;
INSERT INTO kb_mixed.document (source_key, content, metadata, language) VALUES ('visible', 'Das kleine Haus am See.', '{"owner": "kb_regress_mary"}', 'de');
INSERT INTO kb_mixed.document (source_key, content, metadata, language) SELECT 'hidden ' || n, 'Ein Haus mit der Nummer ' || n, '{"owner": "kb_regress_bert"}', 'de' FROM generate_series(1, 50) n;
SELECT kb_configure('mixed', text_config => 'english');
SET kb_rag.test_limits = 'listed_chunks=1, first_sample=20, large_sample=20';
SET ROLE kb_regress_mary;
SELECT query, (SELECT string_agg(source, ' ') FROM kb_search(query, 'mixed', 'keyword', syntax => 'web')) AS found FROM unnest(ARRAY['Häuser', 'Haus', 'klein', 'klein -Häuser', '"kleine Häuser"']) query;

-- A policy that raises an error raises it in a search; one that a setting changes takes effect at once.
RESET ROLE;
ALTER POLICY own ON kb_mixed.document USING (metadata->>'owner' = current_setting('app.owner'));
SET ROLE kb_regress_mary;
SELECT state, message FROM error_of($$SELECT * FROM kb_search('secret', 'mixed')$$);
SET app.owner = 'kb_regress_bert';
SELECT count(*) AS found, count(*) FILTER (WHERE metadata->>'owner' <> 'kb_regress_bert') AS of_others FROM kb_search('secret', 'mixed');
SET app.owner = 'kb_regress_mary';
SELECT count(*) AS found FROM kb_search('secret', 'mixed', 'keyword');
SELECT count(*) AS found FROM kb_search('acme', 'mixed', 'keyword');
-- Vectors may have a policy of their own.
RESET ROLE;
CREATE POLICY none ON kb_mixed.embedding AS RESTRICTIVE USING (false);
SET kb_rag.test_limits = 'listed_chunks=1, exact_rows=100, index_row_cost=1';
SET ROLE kb_regress_mary;
SELECT mode, count(*) AS found FROM unnest(ARRAY['keyword', 'semantic']) mode, kb_search('acme w0', 'mixed', mode) GROUP BY 1 ORDER BY 1;
RESET ROLE;
RESET kb_rag.test_limits;
SET ROLE kb_regress_mary;
SELECT mode, count(*) AS found FROM unnest(ARRAY['keyword', 'semantic']) mode, kb_search('acme w0', 'mixed', mode) GROUP BY 1 ORDER BY 1;
RESET ROLE;
DROP POLICY none ON kb_mixed.embedding;
SET kb_rag.test_limits = 'listed_chunks=1';
-- A keyword index that cannot be read: everything is read as the caller.
RESET ROLE;
ALTER TABLE kb_mixed.keyword_segment RENAME COLUMN version TO other;
SET ROLE kb_regress_mary;
SELECT mode, count(*) AS found, count(*) FILTER (WHERE metadata->>'owner' <> 'kb_regress_mary') AS of_others
FROM unnest(ARRAY['hybrid', 'keyword', 'semantic']) mode, kb_search('acme w0', 'mixed', mode) GROUP BY 1 ORDER BY 1;
RESET ROLE;
RESET kb_rag.test_limits;
SELECT kb_drop(name) FROM unnest(ARRAY['mixed', 'alone']) name;
DROP FUNCTION scores, found;
DROP TABLE compared, asked, passage;
DROP ROLE kb_regress_mary;
