-- index_method => 'ivfflat'. Only CALL kb_work() does the work of the workers.
\set VERBOSITY terse
SET client_min_messages = warning;
-- Each vector counts as twenty.
SET kb_rag.test_limits = 'vector_weight=20, few_rows=50, exact_rows=250, depth=4, min_ef_search=8, max_scan_tuples=1000';
-- Sixteen clusters, around the ends of eight axes.
CREATE FUNCTION near_axis(c int, n float8) RETURNS vector LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg(CASE WHEN k = c / 2 THEN 1 - 2 * (c % 2) ELSE 0 END + .05 * sin(n * (k + 1.7)) ORDER BY k)::real[]::vector FROM generate_series(0, 7) k
$$;
CREATE TABLE vectors AS
SELECT n, 'text number ' || n AS content, near_axis(n % 16, n) AS v, jsonb_build_object('cluster', n % 16, 'rare', n % 15 = 0) AS meta
FROM generate_series(1, 600) n;
CREATE VIEW first AS SELECT * FROM vectors WHERE n <= 450;
CREATE VIEW rest AS SELECT * FROM vectors WHERE n > 450;
CREATE FUNCTION import(name text, source regclass) RETURNS bigint LANGUAGE sql AS $$
    SELECT kb_import(name, source, '{"content": "content", "embedding": "v", "metadata": "meta"}')
$$;
-- The nearest chunks to a point near each axis, in both bases; the queries that find fewer, or all queries that differ if the
-- recall over all of them is below .97: which vectors an approximate index misses is a matter of chance. NULL for the filter of
-- the axis' own cluster.
CREATE FUNCTION differ(count int, filter jsonb DEFAULT '{}') RETURNS TABLE (query int, found bigint, expected bigint) LANGUAGE sql AS $$
    SELECT c, cardinality(a), cardinality(e)
    FROM (SELECT c, a, e, avg((SELECT count(*) FROM unnest(e) t WHERE t = ANY (a))::float8 / cardinality(e)) OVER () AS recall
        FROM generate_series(0, 15) c,
            LATERAL (SELECT array_agg(content ORDER BY similarity DESC, content) FROM kb_search('', 'ivf', 'semantic', count, coalesce(filter, jsonb_build_object('cluster', c)), query_embedding => near_axis(c, c + .5))) a (a),
            LATERAL (SELECT array_agg(content ORDER BY similarity DESC, content) FROM kb_search('', 'exact', 'semantic', count, coalesce(filter, jsonb_build_object('cluster', c)), query_embedding => near_axis(c, c + .5))) e (e)) compared
    WHERE cardinality(a) IS DISTINCT FROM cardinality(e) OR (recall IS NULL OR recall < .97) AND a IS DISTINCT FROM e
$$;

-- From 1,000 vectors on there is an index, for readers with SQL of their own. Searches of kb_rag stay exact until there are 10,000.
SET kb_rag.test_limits = 'exact_rows=250';
SELECT kb_create('small', model => 'fake/test', dimensions => 8, index_method => 'ivfflat') IS NOT NULL AS created;
CREATE VIEW small_indexes AS
SELECT pg_get_indexdef(oid) AS definition FROM pg_class WHERE relnamespace = 'kb_small'::regnamespace AND relkind = 'i' AND relname ~ 'ivfflat';
SELECT kb_import('small', 'vectors', '{"content": "content", "embedding": "v", "metadata": "meta"}');
CALL kb_work();
SELECT * FROM small_indexes;
SET session_replication_role = replica;
INSERT INTO kb_small.embedding SELECT gen_random_uuid(), v FROM vectors LIMIT 398;
RESET session_replication_role;
SELECT kb_add('small', 'one more') IS NOT NULL AS added;
CALL kb_work();
SELECT count(*) AS vectors, (SELECT definition FROM small_indexes) FROM kb_small.embedding;
SELECT kb_add('small', 'the thousandth') IS NOT NULL AS added;
CALL kb_work();
SELECT count(*) AS vectors, (SELECT definition FROM small_indexes) FROM kb_small.embedding;
SELECT kb_expose('small');
BEGIN;
SELECT pg_stat_get_xact_numscans('kb_small.embedding_ivfflat'::regclass) AS before \gset
SELECT count(*) > 0 AS found FROM kb_search('', 'small', 'semantic', 5, query_embedding => near_axis(1, 1));
SELECT pg_stat_get_xact_numscans('kb_small.embedding_ivfflat'::regclass) - :before AS scans;
SET LOCAL enable_seqscan = off;
SELECT count(*) FROM (SELECT FROM kb_small.collection ORDER BY vec <=> near_axis(1, 1) LIMIT 5) own;
SELECT pg_stat_get_xact_numscans('kb_small.embedding_ivfflat'::regclass) > :before AS used_by_others;
COMMIT;
-- Before there are ten times as many it stays; then it is built again with enough lists for searches.
SET session_replication_role = replica;
INSERT INTO kb_small.embedding SELECT gen_random_uuid(), v FROM vectors, generate_series(1, 14);
RESET session_replication_role;
SELECT kb_add('small', 'more') IS NOT NULL AS added;
CALL kb_work();
SELECT count(*) AS vectors, (SELECT definition FROM small_indexes) FROM kb_small.embedding;
SET session_replication_role = replica;
INSERT INTO kb_small.embedding SELECT gen_random_uuid(), v FROM vectors, generate_series(1, 1);
RESET session_replication_role;
SELECT kb_add('small', 'enough') IS NOT NULL AS added;
CALL kb_work();
SELECT count(*) AS vectors, (SELECT definition FROM small_indexes) FROM kb_small.embedding;
BEGIN;
SELECT pg_stat_get_xact_numscans('kb_small.embedding_ivfflat'::regclass) AS before \gset
SELECT count(*) > 0 AS found FROM kb_search('', 'small', 'semantic', 5, query_embedding => near_axis(1, 1));
SELECT pg_stat_get_xact_numscans('kb_small.embedding_ivfflat'::regclass) > :before AS used;
COMMIT;
-- One for a few thousand is built again as soon as searches can use it, not at ten times as many.
DROP INDEX kb_small.embedding_ivfflat;
CREATE INDEX embedding_ivfflat ON kb_small.embedding USING ivfflat (embedding vector_cosine_ops) WITH (lists = 5);
SELECT kb_add('small', 'a last one') IS NOT NULL AS added;
CALL kb_work();
SELECT * FROM small_indexes;
DROP VIEW small_indexes;
SELECT kb_drop('small');
SET kb_rag.test_limits = 'vector_weight=20, few_rows=50, exact_rows=250, depth=4, min_ef_search=8, max_scan_tuples=1000';

-- An empty base has no index. One with few vectors has one that searches do not use.
SELECT kb_create('ivf', model => 'fake/test', dimensions => 8, index_method => 'ivfflat') IS NOT NULL AS created;
SELECT kb_create('exact', model => 'fake/test', dimensions => 8, index_method => 'none') IS NOT NULL AS created;
-- The vector indexes of kb_ivf, and what is queued.
CREATE VIEW state AS
SELECT (SELECT string_agg(regexp_replace(pg_get_indexdef(oid), '^CREATE INDEX (\w+) ON .* USING ', '\1: '), '; ' ORDER BY relname)
        FROM pg_class WHERE relnamespace = 'kb_ivf'::regnamespace AND relkind = 'i' AND relname ~ '^embedding_.*(hnsw|ivfflat)') AS indexes,
    (SELECT string_agg(DISTINCT kind, ' ') FROM kb_rag.job WHERE kind <> 'merge') AS queued;
SELECT index_method FROM kb_list() WHERE name = 'ivf';
SELECT import('exact', 'vectors');
SELECT import('ivf', 'first');
CALL kb_work();
SELECT * FROM state;
-- With more, it is left to the workers. Meanwhile searches are exact.
SELECT import('ivf', 'rest');
SELECT * FROM state;
SELECT kind, target = knowledge_base_id AS of_base, count(*) FROM kb_rag.job WHERE kind <> 'merge' GROUP BY 1, 2;
SELECT * FROM differ(5);
CALL kb_work();
SELECT * FROM state;
-- Nothing is left to do, and further vectors queue nothing.
SELECT kb_add('ivf', 'one more') IS NOT NULL AS added;
SELECT * FROM state;

-- Searches use it, with the results of an exact search: also filtered, and with more results than the lists that are compared
-- first can have.
SELECT * FROM differ(5);
SELECT * FROM differ(5, '{"cluster": 3}');
SELECT * FROM differ(50, '{"rare": true}');
SELECT * FROM differ(20);
SELECT * FROM differ(50, '{"cluster": 3}');
SELECT count(*) FROM kb_search('', 'ivf', 'semantic', 50, query_embedding => near_axis(1, 1));
SELECT count(*) FROM kb_search('', 'ivf', 'semantic', 100, '{"rare": true}', query_embedding => near_axis(1, 1));
BEGIN;
SELECT pg_stat_get_xact_numscans('kb_ivf.embedding_ivfflat'::regclass) AS before \gset
SELECT count(*) FROM kb_search('', 'ivf', 'semantic', 5, query_embedding => near_axis(1, 1));
SELECT pg_stat_get_xact_numscans('kb_ivf.embedding_ivfflat'::regclass) > :before AS used;
COMMIT;
SELECT count(*) = 5 AS found FROM kb_list() l, match_knowledge_chunks(l.id, near_axis(1, 1)) WHERE name = 'ivf';
SELECT count(*) AS found FROM kb_hybrid_search('text number 17', 'ivf', query_embedding => near_axis(1, 17));

-- Ten times as many: built again beside the old one, which it replaces.
SET session_replication_role = replica;
INSERT INTO kb_ivf.embedding SELECT gen_random_uuid(), v FROM vectors, generate_series(1, 11);
RESET session_replication_role;
SELECT * FROM state;
SELECT kb_add('ivf', 'two more') IS NOT NULL AS added;
SELECT kb_add('ivf', 'three more') IS NOT NULL AS added;
SELECT kind, count(*) FROM kb_rag.job WHERE kind <> 'merge' GROUP BY 1;
CALL kb_work(0);
SELECT * FROM state;
SELECT * FROM differ(5, NULL);
CALL kb_work();
SELECT * FROM state;
SELECT * FROM differ(5, NULL);
SELECT * FROM differ(40, NULL);
-- A tenth of that: built again.
-- Not with VACUUM FULL, which keeps rows that any other session might still see.
CREATE TEMPORARY TABLE kept AS SELECT e.* FROM kb_ivf.embedding e JOIN kb_ivf.chunk c ON c.id = e.chunk_id;
TRUNCATE kb_ivf.embedding;
INSERT INTO kb_ivf.embedding SELECT * FROM kept;
DROP TABLE kept;
SELECT kb_add('ivf', 'four more') IS NOT NULL AS added;
CALL kb_work();
SELECT * FROM state;
SELECT * FROM differ(5);

-- Too little memory for so many lists: as many as fit.
DROP INDEX kb_ivf.embedding_ivfflat;
SET maintenance_work_mem = '1MB';
SELECT kb_add('ivf', 'five more') IS NOT NULL AS added;
CALL kb_work();
RESET maintenance_work_mem;
SELECT * FROM state;
SELECT kb_add('ivf', 'six more') IS NOT NULL AS added;
SELECT * FROM state;
-- Another relation has the name: the reason is shown, and it is tried again.
DROP INDEX kb_ivf.embedding_ivfflat;
CREATE TABLE kb_ivf.embedding_ivfflat ();
SELECT kb_add('ivf', 'seven more') IS NOT NULL AS added;
CALL kb_work(2);
SELECT regexp_replace(paused, '\d+ s', '# s') AS paused FROM kb_rag.status WHERE knowledge_base = 'ivf';
SELECT kind, failed, error FROM kb_rag.job WHERE kind <> 'merge';
SELECT count(*) FROM kb_rag.failed;
SELECT * FROM differ(5);
DROP TABLE kb_ivf.embedding_ivfflat;
SELECT kb_retry('ivf');
CALL kb_work();
SELECT * FROM state;
SELECT paused FROM kb_rag.status WHERE knowledge_base = 'ivf';

-- From one method to another, at once.
SELECT kb_configure('ivf', index_method => 'hnsw');
SELECT * FROM state;
-- One of twelve builds of an HNSW index misses one of the sixteen clusters altogether.
SELECT bool_and(found = expected) IS NOT FALSE AS complete, count(*) <= 2 AS nearly_all_the_nearest FROM differ(5);
SELECT kb_configure('ivf', index_method => 'ivfflat');
SELECT * FROM state;
SELECT kb_configure('ivf', index_method => 'none');
SELECT * FROM state;
SELECT kb_configure('ivf', index_method => 'ivfflat');
SELECT kb_reindex('ivf');
SELECT * FROM state;
-- Another method while the work is queued.
DROP INDEX kb_ivf.embedding_ivfflat;
SELECT kb_add('ivf', 'eight more') IS NOT NULL AS added;
SELECT * FROM state;
SELECT kb_configure('ivf', index_method => 'none');
CALL kb_work();
SELECT * FROM state;
SELECT kb_configure('ivf', index_method => 'ivfflat');

-- Another model: in the call, and by the workers; another method while they make the vectors.
SELECT kb_configure('ivf', dimensions => 6);
SELECT * FROM state;
SELECT kb_configure('ivf', index_method => 'hnsw', embed => 'queued');
SELECT kb_configure('ivf', dimensions => 4);
SELECT kb_configure('ivf', index_method => 'ivfflat');
SELECT * FROM state;
CALL kb_work();
SELECT * FROM state;

-- kb_reconcile queues an index that is missing.
DROP INDEX kb_ivf.embedding_ivfflat;
SELECT kb_reconcile('ivf');
CALL kb_work();
SELECT * FROM state;
-- TRUNCATE drops it: an index over no vectors would be useless for those that follow.
BEGIN;
TRUNCATE kb_ivf.document CASCADE;
SELECT * FROM state;
ROLLBACK;
SELECT * FROM state;

-- Adopted again: the index stays, or is built if it is missing.
DELETE FROM kb_rag.knowledge_base WHERE name = 'ivf';
SELECT kb_adopt('kb_ivf') IS NOT NULL AS adopted;
SELECT * FROM state;
DELETE FROM kb_rag.knowledge_base WHERE name = 'ivf';
DROP INDEX kb_ivf.embedding_ivfflat;
SELECT kb_adopt('kb_ivf') IS NOT NULL AS adopted;
SELECT * FROM state;

-- An owner with no other privilege; the index is its own.
CREATE ROLE kb_regress_ivfflat;
SELECT kb_grant_admin('kb_regress_ivfflat');
SET ROLE kb_regress_ivfflat;
SELECT kb_create('owned', model => 'fake/test', dimensions => 8, index_method => 'ivfflat') IS NOT NULL AS created;
RESET ROLE;
SET session_replication_role = replica;
INSERT INTO kb_owned.embedding SELECT gen_random_uuid(), v FROM vectors, generate_series(1, 2);
RESET session_replication_role;
SELECT kb_add('owned', 'one more') IS NOT NULL AS added;
CALL kb_work();
SELECT pg_get_userbyid(relowner), relname FROM pg_class WHERE relnamespace = 'kb_owned'::regnamespace AND relname ~ 'ivfflat';
SET ROLE kb_regress_ivfflat;
TRUNCATE kb_owned.document CASCADE;
SELECT relname FROM pg_class WHERE relnamespace = 'kb_owned'::regnamespace AND relname ~ 'ivfflat';
RESET ROLE;
SET session_replication_role = replica;
INSERT INTO kb_owned.embedding SELECT gen_random_uuid(), v FROM vectors, generate_series(1, 2);
RESET session_replication_role;
SELECT kb_add('owned', 'one more') IS NOT NULL AS added;
CALL kb_work();
SELECT relname FROM pg_class WHERE relnamespace = 'kb_owned'::regnamespace AND relname ~ 'ivfflat';
-- Only the vectors are removed: the next writer has it dropped. One page of vectors that count as twenty would be enough.
TRUNCATE kb_owned.embedding;
SET kb_rag.test_limits = 'exact_rows=250';
SELECT kb_add('owned', 'one more') IS NOT NULL AS added;
SELECT kind FROM kb_rag.job WHERE kind <> 'merge';
CALL kb_work();
SELECT relname FROM pg_class WHERE relnamespace = 'kb_owned'::regnamespace AND relname ~ 'ivfflat';
SET kb_rag.test_limits = 'vector_weight=20, few_rows=50, exact_rows=250, depth=4, min_ef_search=8, max_scan_tuples=1000';
SELECT kb_drop('owned');
SELECT kb_revoke_admin('kb_regress_ivfflat');
DROP ROLE kb_regress_ivfflat;

-- More dimensions: halfvec, and none.
SELECT kb_create('wide', model => 'fake/test', dimensions => 2001, index_method => 'ivfflat') IS NOT NULL AS created;
SET session_replication_role = replica;
INSERT INTO kb_wide.embedding
SELECT gen_random_uuid(), v FROM (SELECT array_agg(sin(s * k))::real[]::halfvec(2001) AS v FROM generate_series(1, 10) s, generate_series(1, 2001) k GROUP BY s) s, generate_series(1, 50);
RESET session_replication_role;
SET maintenance_work_mem = '1MB';
SELECT regexp_replace(message, '\d+', '#', 'g') AS message FROM error_of($$SELECT kb_reindex('wide')$$);
RESET maintenance_work_mem;
SELECT kb_reindex('wide');
SELECT pg_get_indexdef('kb_wide.embedding_ivfflat'::regclass);
SELECT kb_drop('wide');
SELECT * FROM error_of($$SELECT kb_create('wide', model => 'fake/test', dimensions => 4001, index_method => 'ivfflat')$$);
SELECT * FROM error_of($$SELECT kb_configure('ivf', dimensions => 4001)$$);
SELECT * FROM error_of($$SELECT kb_configure('ivf', index_method => 'ivf')$$);

DROP VIEW state;
SELECT kb_drop('ivf');
SELECT kb_drop('exact');
DROP FUNCTION differ;
DROP FUNCTION import;
DROP VIEW first, rest;
DROP TABLE vectors;
DROP FUNCTION near_axis;
SELECT count(*) FROM kb_rag.job;
