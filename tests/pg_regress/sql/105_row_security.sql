-- Row security on document: results and scores are based on what the caller may see.
SET client_min_messages = warning;
CREATE ROLE kb_regress_anna;
CREATE ROLE kb_regress_bert;
SELECT kb_create('shared', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 0) IS NOT NULL AS created;
SELECT kb_create('alone', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 0) IS NOT NULL AS created;
INSERT INTO kb_shared.document (id, title, content, language, metadata)
SELECT format('%s0000000-0000-0000-0000-%s', CASE owner WHEN 'anna' THEN 'a' ELSE 'b' END, lpad(n::text, 12, '0'))::uuid,
    'Title ' || n, content, CASE WHEN owner = 'bert' THEN 'de' END, jsonb_build_object('owner', 'kb_regress_' || owner, 'n', n)
FROM (VALUES
    ('anna', 1, 'The heron waits at the river.'), ('anna', 2, 'A river of words, a river of rain, a river.'),
    ('anna', 3, 'Nothing but sand; the houses are empty.'),
    ('bert', 1, 'The river is secret, says the heron of the river.'), ('bert', 2, 'Die Häuser stehen am Fluss, houses of sand.'),
    ('bert', 3, 'heron heron heron'), ('bert', 4, 'sand sand sand sand')) d (owner, n, content);
-- The documents of anna, and nothing else.
INSERT INTO kb_alone.document (id, title, content, metadata)
SELECT id, title, content, metadata FROM kb_shared.document WHERE metadata->>'owner' = 'kb_regress_anna';

-- A grant to many warns about what is still open.
ALTER TABLE kb_shared.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON kb_shared.document USING (metadata->>'owner' = current_user) WITH CHECK (metadata->>'owner' = current_user);
SELECT kb_grant('shared', 'kb_regress_anna', 'write');
SELECT kb_grant('shared', 'kb_regress_bert', 'write');
SELECT kb_grant('alone', 'kb_regress_anna', 'read');

-- The same search over a base of the caller's own and in the shared one: the same chunks, scores and ranks. Documents have
-- the same ids in both, chunks do not.
CREATE FUNCTION differences(call text) RETURNS TABLE (found bigint, different bigint) LANGUAGE plpgsql AS $$
DECLARE
    columns text := 'document_id, title, content, score, similarity, keyword_score, metadata';
BEGIN
    RETURN QUERY EXECUTE format(
        'WITH s AS (SELECT %1$s FROM %2$s), a AS (SELECT %1$s FROM %3$s)
         SELECT (SELECT count(*) FROM s), (SELECT count(*) FROM (TABLE s EXCEPT ALL TABLE a) x) + (SELECT count(*) FROM (TABLE a EXCEPT ALL TABLE s) x)',
        columns, format(call, 'shared'), format(call, 'alone'));
END
$$;
CREATE VIEW call AS
    SELECT format('kb_search(%L, %L, %L, fusion => %L, ranker => %L)', query, '%s', mode, fusion, ranker) AS call
    FROM (VALUES ('river'), ('heron river'), ('houses of sand'), ('"river of rain" sand'), ('river -heron'), ('Häuser'), ('secret'), ('nowhere')) q (query),
        (VALUES ('hybrid'), ('semantic'), ('keyword')) m (mode), (VALUES ('rrf'), ('relative')) f (fusion),
        (VALUES ('bm25'), ('ts_rank'), ('ts_rank_cd')) r (ranker);
GRANT SELECT ON call TO PUBLIC;
SET ROLE kb_regress_anna;
SELECT count(*) AS calls, sum(found) > 100 AS found, sum(different) AS different FROM call, differences(call);
-- Nor does it change when another role writes.
RESET ROLE;
SET ROLE kb_regress_bert;
INSERT INTO kb_shared.document (content, language, metadata) SELECT 'river heron sand house ' || n, 'french', '{"owner": "kb_regress_bert"}' FROM generate_series(1, 300) n;
RESET ROLE;
SET ROLE kb_regress_anna;
SELECT count(*) AS calls, sum(found) > 100 AS found, sum(different) AS different FROM call, differences(call);
-- The visible chunks are few, and listed. If there are more, candidates of the indexes are checked, and statistics are estimated: exactly
-- where the samples have all chunks. The same results again, and if the candidates are too few.
RESET ROLE;
SET kb_rag.test_limits = 'listed_chunks=1, checked_of_lexeme=400, exact_rows=0, index_row_cost=0';
SET ROLE kb_regress_anna;
SELECT count(*) AS calls, sum(found) > 100 AS found, sum(different) AS different FROM call, differences(call);
RESET ROLE;
SET kb_rag.test_limits = 'listed_chunks=1, checked_of_lexeme=400, exact_rows=0, index_row_cost=0, min_checked=2, max_candidates=4';
SET ROLE kb_regress_anna;
SELECT count(*) AS calls, sum(found) > 100 AS found, sum(different) AS different FROM call, differences(call);
-- Candidates that are not checked give no text of others.
RESET ROLE;
SET kb_rag.test_limits = 'listed_chunks=1, checked_of_lexeme=400, exact_rows=0, index_row_cost=0, unchecked_candidates=1';
SET ROLE kb_regress_anna;
SELECT count(*) AS calls, sum(found) > 0 AS found, count(*) FILTER (WHERE different > 0) > 10 AS different FROM call, differences(call);
SELECT mode, count(*) FILTER (WHERE metadata->>'owner' <> current_user) AS of_others
FROM (VALUES ('hybrid'), ('semantic'), ('keyword')) m (mode), kb_search('river heron sand', 'shared', mode, 50) GROUP BY 1 ORDER BY 1;
RESET ROLE;
RESET kb_rag.test_limits;
SET ROLE kb_regress_anna;
SELECT content, similarity FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'shared'), kb_embed('river', 'fake/test', 8), 400, -1)
EXCEPT ALL
SELECT content, similarity FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'alone'), kb_embed('river', 'fake/test', 8), 400, -1);
SELECT count(*) FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'shared'), kb_embed('river', 'fake/test', 8), 400, -1);
SELECT knowledge_base, documents, pending, indexed, failed, chunks, embedded, coverage, table_bytes IS NULL AS no_size, index_bytes IS NULL AS no_size
FROM kb_rag.status ORDER BY knowledge_base;
RESET ROLE;
SELECT knowledge_base, documents, chunks, embedded, table_bytes > 0 AS sized FROM kb_rag.status ORDER BY knowledge_base;

-- Searches are safe. Roles that read chunks directly need policies on them too; searches give the same results then.
SET ROLE kb_regress_anna;
SELECT count(*) > 3 AS sees_others FROM kb_shared.chunk;
RESET ROLE;
ALTER TABLE kb_shared.chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE kb_shared.embedding ENABLE ROW LEVEL SECURITY;
ALTER TABLE kb_shared.source ENABLE ROW LEVEL SECURITY;
ALTER TABLE kb_shared.keyword_segment ENABLE ROW LEVEL SECURITY;
ALTER TABLE kb_shared.keyword_run ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON kb_shared.chunk USING (EXISTS (SELECT FROM kb_shared.document d WHERE d.id = document_id));
CREATE POLICY own ON kb_shared.embedding USING (EXISTS (SELECT FROM kb_shared.chunk c WHERE c.id = chunk_id));
SELECT kb_grant('shared', 'kb_regress_anna', 'write');
SET ROLE kb_regress_anna;
SELECT (SELECT count(*) FROM kb_shared.document) AS documents, (SELECT count(*) FROM kb_shared.chunk) AS chunks,
    (SELECT count(*) FROM kb_shared.embedding) AS vectors, (SELECT count(*) FROM kb_shared.source) AS sources;
-- Statistics contain words of all documents.
SELECT state, message FROM unnest(ARRAY['keyword_segment', 'keyword_run']) t, error_of(format('SELECT * FROM kb_shared.%I', t));
SELECT count(*) AS calls, sum(found) > 100 AS found, sum(different) AS different FROM call, differences(call);
SELECT knowledge_base, documents, chunks, embedded FROM kb_rag.status ORDER BY knowledge_base;

-- Writing: as the policy allows, through kb_add and directly. A key is shared by all roles that use the base.
SELECT kb_add('shared', 'Added by anna.', source_key => 'a', metadata => '{"owner": "kb_regress_anna"}') IS NOT NULL AS added;
SELECT kb_add('shared', 'Added by anna, again.', source_key => 'a', metadata => '{"owner": "kb_regress_anna"}')
    = kb_add('shared', 'Added by anna, again.', source_key => 'a', metadata => '{"owner": "kb_regress_anna"}') AS same;
SELECT state, message, detail FROM error_of($$SELECT kb_add('shared', 'For bert.', metadata => '{"owner": "kb_regress_bert"}')$$);
SELECT state, message, detail FROM error_of($$SELECT kb_add('shared', 'Moved to bert.', source_key => 'a', metadata => '{"owner": "kb_regress_bert"}')$$);
SELECT state, message, detail FROM error_of($$INSERT INTO kb_shared.document (content, metadata) VALUES ('For bert.', '{"owner": "kb_regress_bert"}')$$);
SELECT state, message, detail FROM error_of($$UPDATE kb_shared.document SET metadata = '{"owner": "kb_regress_bert"}'$$);
RESET ROLE;
SET ROLE kb_regress_bert;
SELECT state, message, detail FROM error_of($$SELECT kb_add('shared', 'The key of anna.', source_key => 'a', metadata => '{"owner": "kb_regress_bert"}')$$);
SELECT state, message, detail FROM error_of($$INSERT INTO kb_shared.document (content, source_key, metadata) VALUES ('The key of anna.', 'a', '{"owner": "kb_regress_bert"}')$$);
WITH changed AS (UPDATE kb_shared.document SET content = 'Gone.' WHERE metadata->>'owner' = 'kb_regress_anna' RETURNING 1) SELECT count(*) FROM changed;
WITH deleted AS (DELETE FROM kb_shared.document WHERE metadata->>'owner' = 'kb_regress_anna' RETURNING 1) SELECT count(*) FROM deleted;
DELETE FROM kb_shared.document;
SELECT count(*) FROM kb_search('river heron sand', 'shared', match_count => 100);
RESET ROLE;
SELECT metadata->>'owner' AS owner, count(*) FROM kb_shared.chunk GROUP BY 1;
SELECT sum(chunks) = (SELECT count(*) FROM kb_shared.chunk) AND sum(length) = (SELECT sum(length) FROM kb_shared.chunk) AS figures FROM (SELECT sign * chunks AS chunks, sign * length AS length FROM kb_shared.keyword_segment) s;

-- With row_security off, a caller who is subject to policies gets PostgreSQL's error, not rows.
SET ROLE kb_regress_anna;
SET row_security = off;
SELECT call, e.state, e.message FROM (VALUES ($$SELECT * FROM kb_search('river', 'shared')$$), ($$SELECT * FROM kb_search('river', 'shared', 'semantic')$$),
    ($$SELECT * FROM kb_rag.status$$), ($$SELECT kb_add('shared', 'x', metadata => '{"owner": "kb_regress_anna"}')$$)) c (call), error_of(call) e;
RESET row_security;
RESET ROLE;

-- Row security forced on the owner does not make ingestion skip rows.
ALTER TABLE kb_shared.document FORCE ROW LEVEL SECURITY;
SELECT kb_add('shared', 'Written under forced row security.') IS NOT NULL AS added;
SELECT content FROM kb_shared.chunk WHERE content LIKE '%forced%';

SELECT kb_drop('shared'), kb_drop('alone');
DROP VIEW call;
DROP FUNCTION differences;
DROP ROLE kb_regress_anna, kb_regress_bert;
