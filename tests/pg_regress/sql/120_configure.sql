-- Settings changed in place: only what they affect is rebuilt.
SET client_min_messages = warning;
SELECT kb_create('conf', description => 'before', model => 'fake/one', dimensions => 8, chunk_size => 60, chunk_overlap => 0) IS NOT NULL AS created;
INSERT INTO kb_conf.document (title, content, language, source_key) VALUES
    ('Ferries', 'The ferry leaves at noon. It carries bicycles for free. Dogs travel on deck. Tickets are sold at the pier.', NULL, 'ferries.txt'),
    ('Short', 'Running is fun.', NULL, 'short.txt'),
    ('Fähren', 'Die Fähren fahren mittags. Fahrräder reisen umsonst.', 'de', 'faehren.txt');
CREATE TABLE before AS SELECT c.id, c.content, c.tsv, e.embedding FROM kb_conf.chunk c JOIN kb_conf.embedding e ON e.chunk_id = c.id;
CREATE FUNCTION kept(OUT chunks int8, OUT same_row int8, OUT same_vector int8, OUT same_lexemes int8) LANGUAGE sql AS $$
    SELECT count(*), count(b.id), count(*) FILTER (WHERE b.embedding::text = e.embedding::text), count(*) FILTER (WHERE b.tsv = c.tsv)
    FROM kb_conf.chunk c LEFT JOIN kb_conf.embedding e ON e.chunk_id = c.id LEFT JOIN before b ON b.id = c.id
$$;
-- The rows of the keyword index, with the transaction that wrote each.
CREATE FUNCTION files(OUT segments text, OUT embedding_hnsw oid, OUT embedding oid) LANGUAGE sql AS $$
    SELECT (SELECT coalesce(string_agg(id || ' ' || xmin::text, ', ' ORDER BY id), 'none') FROM kb_conf.keyword_segment), pg_relation_filenode(to_regclass('kb_conf.embedding_hnsw')), pg_relation_filenode('kb_conf.embedding')
$$;
SELECT * FROM kept();
SELECT * FROM files() \gset

-- No change requested, nothing done.
SELECT kb_configure('conf');
SELECT kb_configure('conf', chunk_size => 60, model => 'fake/one');
SELECT f.segments = :'segments' AND f.embedding_hnsw = :embedding_hnsw AND f.embedding = :embedding AS untouched FROM files() f;

-- Only the catalog.
SELECT kb_configure('conf', description => 'after', ranker => 'ts_rank', embed => 'inline', bm25_k1 => 1.5, bm25_b => 0.5);
SELECT description, ranker, embed, bm25_k1, bm25_b FROM kb_list();
SELECT kb_configure('conf', description => '', ranker => 'bm25');
SELECT description IS NULL AS removed, ranker, embed FROM kb_list();
-- The threshold can be any similarity below 1. -1 removes it, NULL keeps it.
CREATE FUNCTION threshold(OUT listed float8, OUT cataloged float8, OUT stored text) LANGUAGE sql AS $$
    SELECT l.match_threshold, k.match_threshold, s.value
    FROM kb_list() l JOIN kb_rag.knowledge_base k USING (id) LEFT JOIN kb_conf.setting s ON s.name = 'match_threshold'
$$;
SELECT * FROM threshold();
SELECT kb_configure('conf', match_threshold => 0.25);
SELECT kb_configure('conf', ranker => 'bm25', match_threshold => NULL);
SELECT * FROM threshold();
SELECT kb_configure('conf', match_threshold => -1);
SELECT * FROM threshold();
SELECT kb_configure('conf', match_threshold => 0);
SELECT * FROM threshold();
SELECT kb_configure('conf', match_threshold => -0.999);
SELECT kb_configure('conf', match_threshold => 0.999);
SELECT * FROM threshold();
SELECT * FROM error_of($$SELECT kb_configure('conf', match_threshold => 1)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', match_threshold => -1.001)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', match_threshold => 'NaN')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', match_threshold => 'Infinity')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', match_threshold => '-Infinity')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_create('x', match_threshold => 1.5)$$);
SELECT * FROM threshold();
SELECT kb_configure('conf', match_threshold => -1);
SELECT kb_create('none', model => 'fake/one', dimensions => 8, match_threshold => -1) IS NOT NULL
    AND kb_create('some', model => 'fake/one', dimensions => 8, match_threshold => -0.5) IS NOT NULL AS created;
SELECT name, match_threshold FROM kb_list() ORDER BY name;
SELECT kb_drop('none'), kb_drop('some');
SELECT f.segments = :'segments' AND f.embedding_hnsw = :embedding_hnsw AND f.embedding = :embedding AS untouched FROM files() f;

-- Weights, k1 and b: nothing is rewritten, and the next search ranks by them.
CREATE FUNCTION ranked(OUT ferry_fun_deck text, OUT fun_deck text) LANGUAGE sql AS $$
    SELECT array_to_string(array(SELECT left(content, 7) FROM kb_search('ferry fun deck', 'conf', 'keyword')), ', '),
        array_to_string(array(SELECT left(content, 7) FROM kb_search('fun deck', 'conf', 'keyword')), ', ')
$$;
SELECT * FROM ranked();
SELECT kb_configure('conf', title_weight => 0.1);
SELECT * FROM ranked();
SELECT kb_configure('conf', title_weight => 3);
SELECT * FROM ranked();
-- Without b or k1 the length does not count: equal scores are in the order of the chunks.
SELECT kb_configure('conf', bm25_b => 0);
SELECT * FROM ranked();
SELECT kb_configure('conf', bm25_b => 0.5);
SELECT * FROM ranked();
SELECT kb_configure('conf', bm25_k1 => 0);
SELECT * FROM ranked();
SELECT kb_configure('conf', bm25_k1 => 1.5, heading_weight => 2.5);
SELECT f.segments = :'segments' AS same_keyword_index, f.embedding_hnsw = :embedding_hnsw AS same_vector_index FROM files() f;
SELECT * FROM kept();
SELECT title FROM kb_search('ferry', 'conf', 'keyword');
DROP FUNCTION ranked;

-- The method of the vector index.
SELECT kb_configure('conf', index_method => 'none');
SELECT embedding_hnsw IS NULL AS gone FROM files();
SELECT kb_configure('conf', index_method => 'hnsw');
SELECT embedding_hnsw IS NOT NULL AS back, f.embedding = :embedding AS same_table FROM files() f;

-- Chunk settings: chunks that do not change keep their row and vector.
SELECT kb_configure('conf', chunk_size => 80);
SELECT * FROM kept();
SELECT d.title, c.ordinal, c.content FROM kb_conf.chunk c JOIN kb_conf.document d ON d.id = c.document_id ORDER BY d.source_key, c.ordinal;
SELECT count(*) FROM kb_conf.chunk c JOIN kb_conf.document d ON d.id = c.document_id
WHERE c.content <> substr(d.content, c.start_char + 1, c.end_char - c.start_char);
SELECT sum(chunks) = (SELECT count(*) FROM kb_conf.chunk) AND sum(length) = (SELECT sum(length) FROM kb_conf.chunk) AS figures FROM (SELECT sign * chunks AS chunks, sign * length AS length FROM kb_conf.keyword_segment) s;

-- Text search configuration: the lexemes of documents without their own configuration.
DROP TABLE before CASCADE;
CREATE TABLE before AS SELECT c.id, c.content, c.tsv, e.embedding FROM kb_conf.chunk c JOIN kb_conf.embedding e ON e.chunk_id = c.id;
SELECT kb_configure('conf', text_config => 'simple');
SELECT * FROM kept();
SELECT c.text_config, count(*) FROM kb_conf.chunk c GROUP BY 1 ORDER BY 1;
SELECT content FROM kb_search('run', 'conf', 'keyword');
SELECT content FROM kb_search('running', 'conf', 'keyword');

-- Another model: every vector, but no row of chunk.
SELECT kb_configure('conf', model => 'fake/two', dimensions => 16);
SELECT model, dimensions FROM kb_list();
SELECT * FROM kept();
SELECT relname FROM pg_class WHERE relnamespace = 'kb_conf'::regnamespace AND relname ~ '^embedding' ORDER BY 1;
SELECT conname FROM pg_constraint WHERE conrelid = 'kb_conf.embedding'::regclass AND contype IN ('p', 'f') ORDER BY 1;
SELECT format_type(atttypid, atttypmod), attstorage FROM pg_attribute WHERE attrelid = 'kb_conf.embedding'::regclass AND attname = 'embedding';
SELECT count(*) AS differ FROM kb_conf.chunk c JOIN kb_conf.embedding e ON e.chunk_id = c.id JOIN kb_conf.document d ON d.id = c.document_id
WHERE e.embedding <=> kb_embed(d.title || E'\n' || c.content, 'fake/two', 16, 'document') > 1e-6;
SELECT title, round(similarity::numeric, 3) AS similarity FROM kb_search('Short' || E'\n' || 'Running is fun.', 'conf', 'semantic', 1);
-- A new model uses its own dimensions unless others are requested; those of the present model can be changed.
SELECT kb_configure('conf', model => 'fake/three');
SELECT model, dimensions FROM kb_list();
SELECT kb_configure('conf', dimensions => 2100);
SELECT format_type(atttypid, atttypmod), attstorage FROM pg_attribute WHERE attrelid = 'kb_conf.embedding'::regclass AND attname = 'embedding';
SELECT kb_configure('conf', dimensions => 8, chunk_size => 1000, chunk_overlap => 100, chunk_strategy => 'text', text_config => 'english');
SELECT count(*) AS chunks, count(e.chunk_id) AS vectors FROM kb_conf.chunk c LEFT JOIN kb_conf.embedding e ON e.chunk_id = c.id;
SELECT title FROM kb_hybrid_search('ferries', 'conf');
-- Writers continue with the new settings.
SELECT kb_add('conf', 'A word about trains.', source_key => 'trains') IS NOT NULL AS added;
SELECT vector_dims(e.embedding) FROM kb_conf.chunk c JOIN kb_conf.embedding e ON e.chunk_id = c.id WHERE c.content ~ 'trains';

-- The local model takes over.
SELECT kb_configure('conf', model => 'local/all-minilm-l6-v2');
SELECT model, dimensions FROM kb_list();
SELECT title FROM kb_search('boat trips', 'conf', 'semantic', 2);
SELECT model_variants = ARRAY[variant_in_use] AS variant_noted FROM kb_rag.status;
SELECT kb_configure('conf', model => 'fake/one', dimensions => 8);
SELECT model_variants FROM kb_rag.status;

-- The new table has the grants, row security and policies of the old one.
CREATE ROLE kb_regress_looker;
CREATE ROLE "kb regress ""odd""";
GRANT SELECT ON kb_conf.embedding TO kb_regress_looker WITH GRANT OPTION;
GRANT SELECT (chunk_id), INSERT ON kb_conf.embedding TO "kb regress ""odd""";
GRANT SELECT ON kb_conf.embedding TO PUBLIC;
ALTER TABLE kb_conf.embedding ENABLE ROW LEVEL SECURITY;
CREATE POLICY "all of 100%" ON kb_conf.embedding FOR SELECT TO kb_regress_looker, "kb regress ""odd""" USING (chunk_id IS NOT NULL);
CREATE POLICY own ON kb_conf.embedding AS RESTRICTIVE FOR INSERT WITH CHECK (current_user = 'kb_regress_looker');
CREATE FUNCTION rights(OUT acl text, OUT columns text, OUT secured bool, OUT policies text) LANGUAGE sql AS $$
    SELECT (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(relacl) a WHERE a::text NOT LIKE current_user || '=%'),
        (SELECT string_agg(attname || ' ' || attacl::text, ' ') FROM pg_attribute WHERE attrelid = r.oid AND attacl IS NOT NULL),
        relrowsecurity,
        (SELECT string_agg(concat_ws(' ', policyname, permissive, roles, cmd, qual, with_check), '; ' ORDER BY policyname) FROM pg_policies WHERE schemaname = 'kb_conf')
    FROM pg_class r WHERE oid = 'kb_conf.embedding'::regclass
$$;
CREATE TABLE rights_before AS SELECT * FROM rights();
SELECT kb_configure('conf', dimensions => 12);
SELECT * FROM rights() EXCEPT SELECT * FROM rights_before;
SELECT acl LIKE '%kb_regress_looker%' AND columns LIKE 'chunk_id%' AND policies LIKE '%100\%%' AS copied FROM rights_before;

-- A view on the vectors is not dropped with them.
CREATE VIEW on_vectors AS SELECT count(*) FROM kb_conf.embedding;
SELECT state FROM error_of($$SELECT kb_configure('conf', dimensions => 8)$$);
SELECT dimensions FROM kb_list();
DROP VIEW on_vectors;

-- Invalid arguments.
SELECT * FROM error_of($$SELECT kb_configure(NULL)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('nowhere', ranker => 'bm25')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', chunk_size => 0)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', chunk_overlap => 5000)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', chunk_strategy => 'shred')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', ranker => 'pagerank')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', index_method => 'btree')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', embed => 'never')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', model => 'none/such')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', model => 'local/gone')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', dimensions => 5000, index_method => 'hnsw')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', bm25_b => 2)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('conf', text_config => 'klingon')$$);
SELECT dimensions, chunk_size, chunk_overlap, chunk_strategy, ranker, index_method FROM kb_list();

-- A base without its model can still be configured if no vector is needed.
UPDATE kb_rag.knowledge_base SET model = 'local/gone' WHERE name = 'conf';
SELECT kb_configure('conf', ranker => 'ts_rank_cd');
SELECT state, message FROM error_of($$SELECT kb_configure('conf', chunk_size => 50, chunk_overlap => 0)$$);
SELECT kb_configure('conf', model => 'fake/one', dimensions => 8);

-- kb_reindex: lexemes after a change of the dictionary, indexes, statistics.
CREATE TEXT SEARCH DICTIONARY stem_none (TEMPLATE = pg_catalog.simple);
CREATE TEXT SEARCH CONFIGURATION own (COPY = pg_catalog.english);
SELECT kb_configure('conf', text_config => 'own');
SELECT content FROM kb_search('run', 'conf', 'keyword');
ALTER TEXT SEARCH CONFIGURATION own ALTER MAPPING FOR asciiword WITH stem_none;
DELETE FROM kb_conf.keyword_segment;
SELECT * FROM files() \gset
DROP TABLE before CASCADE;
CREATE TABLE before AS SELECT c.id, e.embedding FROM kb_conf.chunk c JOIN kb_conf.embedding e ON e.chunk_id = c.id;
SELECT :'segments' AS segments;
SELECT kb_reindex('conf');
SELECT f.segments = :'segments' AS same_keyword_index, f.embedding_hnsw = :embedding_hnsw AS same_vector_index, f.embedding = :embedding AS same_vectors FROM files() f;
SELECT count(*) - count(b.id) AS other_chunks FROM kb_conf.chunk c LEFT JOIN before b USING (id);
SELECT content FROM kb_search('run', 'conf', 'keyword');
SELECT content FROM kb_search('running', 'conf', 'keyword');
SELECT sum(chunks) = (SELECT count(*) FROM kb_conf.chunk) AND sum(length) = (SELECT sum(length) FROM kb_conf.chunk) AS figures FROM (SELECT sign * chunks AS chunks, sign * length AS length FROM kb_conf.keyword_segment) s;
SELECT * FROM files() \gset
SELECT kb_reindex('conf');
SELECT f.segments = :'segments' AS same_keyword_index FROM files() f;
SELECT content FROM kb_search('running', 'conf', 'keyword');
SELECT state, message FROM error_of($$SELECT kb_reindex('nowhere')$$);

-- Only administrators.
SET ROLE kb_regress_looker;
SELECT state, message FROM error_of($$SELECT kb_configure('conf', ranker => 'bm25')$$);
SELECT state, message FROM error_of($$SELECT kb_reindex('conf')$$);
SELECT state, message FROM error_of($$SELECT kb_reconcile('conf')$$);
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_conf')$$);
RESET ROLE;
SELECT kb_drop('conf');
DROP TEXT SEARCH CONFIGURATION own;
DROP TEXT SEARCH DICTIONARY stem_none;
DROP TABLE before, rights_before CASCADE;
DROP FUNCTION kept, files, rights, threshold;
DROP ROLE kb_regress_looker, "kb regress ""odd""";
