-- An approximate index may miss the nearest vector. A hybrid search that finds its chunk by keyword ranks it all the same.
SET client_min_messages = warning;
SET kb_rag.test_limits = 'exact_rows=250, depth=8, min_ef_search=8, max_scan_tuples=1000';
SELECT kb_create('missed', model => 'fake/test', dimensions => 8, chunk_strategy => 'none', text_config => 'simple') IS NOT NULL AS created;
INSERT INTO kb_missed.document (content, source_key)
SELECT CASE WHEN n <= 600 THEN 'a plain text, falcon ' || n % 40 ELSE 'the falcon of row odd' || n END, n
FROM generate_series(1, 608) n;
-- Copies of one vector fill each other's lists in an HNSW index: other vectors, added later, are often out of reach.
CREATE FUNCTION pg_temp.axis(k int) RETURNS vector LANGUAGE sql AS
$$ SELECT array_agg(CASE i WHEN k THEN 1 ELSE 0 END ORDER BY i)::vector FROM generate_series(1, 8) i $$;
DELETE FROM kb_missed.embedding;
INSERT INTO kb_missed.embedding (chunk_id, embedding)
SELECT c.id, CASE WHEN n > 600 THEN pg_temp.axis(n - 600) ELSE '[1,1,0,0,0,0,0,0]' END
FROM kb_missed.chunk c JOIN kb_missed.document d ON d.id = c.document_id, LATERAL (SELECT d.source_key::int AS n) s ORDER BY n;
ANALYZE kb_missed.embedding;

-- The similarity of the nearest is 1, that of all others at most .7071.
SELECT k, source, similarity, semantic_rank, keyword_rank
FROM generate_series(1, 8) k CROSS JOIN LATERAL kb_hybrid_search('falcon odd60' || k, 'missed', 1, query_embedding => pg_temp.axis(k))
ORDER BY k;
SELECT k, source, similarity, semantic_rank, keyword_rank
FROM generate_series(1, 8) k
CROSS JOIN LATERAL kb_search('falcon odd60' || k, 'missed', match_count => 1, query_embedding => pg_temp.axis(k))
ORDER BY k;
-- From the index.
BEGIN;
SELECT pg_stat_get_xact_numscans('kb_missed.embedding_hnsw'::regclass) AS before \gset
SELECT count(*) FROM kb_hybrid_search('falcon odd601', 'missed', 1, query_embedding => pg_temp.axis(1));
SELECT pg_stat_get_xact_numscans('kb_missed.embedding_hnsw'::regclass) > :before AS index_used;
COMMIT;
SELECT kb_drop('missed');
