-- The keyword index matches the chunks, whatever is done to them; and answers are those of BM25 over every chunk.
SET client_min_messages = warning;
SELECT kb_create('counted', model => 'fake/test', dimensions => 4, text_config => 'simple', index_method => 'none', chunk_strategy => 'none', part_weight => 0) IS NOT NULL AS created;
-- Chunks of each text search configuration, all chunks and their length are sums over the segments. Writers merge 256 segments or
-- more, and look every 32nd time.
CREATE VIEW figures AS
    SELECT (SELECT array_agg((text_config, chunks)::text ORDER BY text_config) FROM (
            SELECT key AS text_config, sum(value::int8) AS chunks FROM kb_counted.keyword_segment, jsonb_each_text(configs) GROUP BY 1 HAVING sum(value::int8) <> 0) a)
        IS NOT DISTINCT FROM (SELECT array_agg((text_config, chunks)::text ORDER BY text_config) FROM (
            SELECT text_config, count(*) AS chunks FROM kb_counted.chunk GROUP BY 1) b)
        AND (SELECT coalesce(sum(sign * chunks), 0) FROM kb_counted.keyword_segment) = (SELECT count(*) FROM kb_counted.chunk)
        AND (SELECT coalesce(sum(sign * length), 0) FROM kb_counted.keyword_segment) = (SELECT coalesce(sum(length), 0) FROM kb_counted.chunk) AS equal,
        (SELECT count(*) FROM kb_counted.chunk) AS chunks,
        (SELECT count(*) FROM kb_counted.keyword_segment) < 300 AS few_rows;
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
SET kb_rag.test_limits = 'of_writer=16, checked_every=4';
DO $$ BEGIN FOR n IN 1..60 LOOP INSERT INTO kb_counted.document (content) VALUES ('one at a time'); END LOOP; END $$;
SELECT *, (SELECT count(*) FROM kb_counted.keyword_segment) < 20 AS merged FROM figures;
RESET kb_rag.test_limits;
TRUNCATE kb_counted.document CASCADE;
SELECT *, (SELECT count(*) FROM kb_counted.keyword_segment) AS segments, (SELECT count(*) FROM kb_counted.keyword_run) AS runs FROM figures;

-- A large base: common words, some of them often in one chunk, chunks of different length, rare words, a very long word.
INSERT INTO kb_counted.document (content, source_key, metadata)
SELECT string_agg(CASE WHEN r < 0.2 THEN 'alpha' WHEN r < 0.35 THEN 'beta' WHEN r < 0.45 THEN 'gamma' WHEN r < 0.5 THEN 'delta'
    WHEN r < 0.51 THEN 'epsilon' WHEN r < 0.6 THEN 'often' || (n * 7 + i) % 40 ELSE 'rare' || (n * 31 + i * 17) % 1800 END, ' ') || CASE WHEN n % 2 = 1 THEN ' odd' ELSE '' END,
    'n' || n, jsonb_build_object('half', n % 2, 'tenth', n % 10, 'hundredth', n % 100, 'thousandth', n % 1000)
FROM (
    -- Reproducible, and without a pattern that could correlate words.
    SELECT n, i, (hashint8(n::int8 * 1000 + i)::int8 + 2147483648) / 4294967296.0 AS r
    FROM generate_series(1, 1400) n, generate_series(1, 5 + (n * n) % 90) i
) w GROUP BY n;
INSERT INTO kb_counted.document (content)
SELECT repeat('zeta ', 20) || string_agg('x' || md5(n::text), ' ') || ' alpha beta gamma' FROM generate_series(1, 20000) n;
SELECT * FROM figures;
SELECT sign, chunks, runs > 10 AS is_large, data IS NULL AS has_runs, (SELECT count(*) FROM kb_counted.keyword_run r WHERE r.segment = s.id) = runs AS all_there FROM kb_counted.keyword_segment s ORDER BY id;
VACUUM ANALYZE kb_counted.document, kb_counted.chunk;
-- Every chunk scored, without the index.
CREATE FUNCTION unpruned(query text) RETURNS TABLE (id uuid, score float8) LANGUAGE sql AS $$
    WITH n AS (SELECT count(*)::float8 AS chunks, avg(length)::float8 AS mean FROM kb_counted.chunk), term AS (
        SELECT l.lexeme, ln(1 + (n.chunks - df + 0.5) / (df + 0.5)) AS idf
        FROM n, unnest(tsvector_to_array(to_tsvector('simple', query))) AS l (lexeme),
            LATERAL (SELECT count(*) AS df FROM kb_counted.chunk c WHERE c.tsv @@ quote_literal(l.lexeme)::tsquery) f
    )
    SELECT c.id, sum(term.idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * c.length / n.mean)))::float8
    FROM n, kb_counted.chunk c, unnest(c.tsv) u, LATERAL (SELECT cardinality(u.positions) AS tf) f, term
    WHERE term.lexeme = u.lexeme
    GROUP BY c.id
$$;
-- Queries with the words that rank and the condition that must hold.
CREATE TABLE query (q text PRIMARY KEY, words text NOT NULL, condition tsquery);
INSERT INTO query SELECT q, q FROM unnest(ARRAY['alpha', 'alpha beta', 'alpha beta gamma delta', 'epsilon alpha', 'often3 alpha beta', 'rare77 alpha', 'odd epsilon',
    'rare1 rare2 rare3 alpha beta gamma delta epsilon often1 often2', 'zeta alpha', 'gamma delta epsilon often5 often6 often7 often8 often9', 'rare5000']) q;
INSERT INTO query VALUES ('"alpha beta" gamma', 'alpha beta gamma', 'alpha <-> beta'), ('"gamma delta epsilon"', 'gamma delta epsilon', 'gamma <-> delta <-> epsilon'),
    ('rare77 -beta', 'rare77', '!beta'), ('"beta alpha" -"alpha beta" often3', 'beta alpha often3', '(beta <-> alpha) & !(alpha <-> beta)');
CREATE TABLE wanted AS SELECT q, words, condition, u.* FROM query, unpruned(words) u;
CREATE TABLE filter (filter jsonb);
INSERT INTO filter VALUES ('{}'), ('{"half": 0}'), ('{"tenth": 3}'), ('{"hundredth": 33}'), ('{"thousandth": 333}'), ('{"half": 2}');
-- How many results each search has, and how many are not those expected, with that score, at that place.
CREATE FUNCTION different(query text, filter jsonb, count int) RETURNS TABLE (results int8, wrong int8) LANGUAGE sql AS $$
    SELECT count(f.place), count(*) FILTER (WHERE (f.chunk_id = w.id AND abs(f.score - w.score) < 1e-6) IS NOT TRUE)
    FROM (
        SELECT chunk_id, score, ordinality AS place FROM kb_search($1, 'counted', 'keyword', $3, filter => $2, syntax => 'web') WITH ORDINALITY
    ) f FULL JOIN (
        SELECT x.id, x.score, row_number() OVER (ORDER BY round(x.score::numeric, 9) DESC, x.id) AS place
        FROM wanted x JOIN kb_counted.chunk c USING (id)
        WHERE x.q = $1 AND (x.condition IS NULL OR c.tsv @@ x.condition) AND c.metadata @> $2
        ORDER BY place LIMIT $3
    ) w USING (place)
$$;
SELECT q, n, d.* FROM query, unnest(ARRAY[10, 200]) n, different(q, '{}', n) d ORDER BY q, n;
-- The number of chunks that a search looks up: its best candidates.
CREATE FUNCTION looked_up(query text, count int) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
    before int8 := pg_stat_get_xact_tuples_fetched('kb_counted.chunk_keyword_number'::regclass);
BEGIN
    PERFORM count(*) FROM kb_search(query, 'counted', 'keyword', count);
    RETURN pg_stat_get_xact_tuples_fetched('kb_counted.chunk_keyword_number'::regclass) - before;
END
$$;
SELECT q, looked_up(words, 10) BETWEEN 10 AND 0.1 * (SELECT count(*) FROM wanted w WHERE w.q = query.q) AS few
FROM query WHERE condition IS NULL AND q <> 'rare5000' ORDER BY q;
-- Filters that many, some, few and no chunks pass, and one that contradicts the query.
SELECT filter, count(*) AS queries, sum(results) AS results, sum(wrong) AS wrong FROM query, filter, different(q, filter, 20) d GROUP BY filter ORDER BY results DESC;
SELECT * FROM different('odd epsilon', '{"half": 0}', 20);
-- The same as in a search of all chunks.
SELECT filter, count(*) AS queries, sum(s.other) AS other
FROM filter, unnest(ARRAY['alpha beta gamma delta', 'rare77 alpha', 'odd']) q, LATERAL (
    SELECT count(*) FILTER (WHERE f.chunk_id IS DISTINCT FROM a.chunk_id) AS other
    FROM kb_search(q, 'counted', 'keyword', 20, filter => filter) WITH ORDINALITY f
    FULL JOIN (
        SELECT chunk_id, row_number() OVER (ORDER BY ordinality) AS ordinality
        FROM kb_search(q, 'counted', 'keyword', 5000) WITH ORDINALITY WHERE metadata @> filter ORDER BY ordinality LIMIT 20
    ) a USING (ordinality)
) s GROUP BY filter ORDER BY filter;
-- After an update of metadata alone, which leaves the index as it is.
CREATE TEMPORARY TABLE segment AS SELECT id, xmin::text AS version FROM kb_counted.keyword_segment;
UPDATE kb_counted.document SET metadata = metadata || '{"part": 1}' WHERE id IN (SELECT document_id FROM kb_counted.chunk WHERE length < 40 AND ordinal = 0);
SELECT count(*) FILTER (WHERE s.version = k.xmin::text) = count(*) AS untouched FROM segment s FULL JOIN kb_counted.keyword_segment k USING (id);
SELECT q, d.* FROM query, different(q, '{"part": 1}', 20) d ORDER BY q;
-- ts_rank and ts_rank_cd are PostgreSQL's.
WITH call AS (
    SELECT ranker, q, (SELECT string_agg(quote_literal(l), ' | ') FROM unnest(tsvector_to_array(to_tsvector('simple', q))) l)::tsquery AS words
    FROM unnest(ARRAY['ts_rank', 'ts_rank_cd']) ranker, unnest(ARRAY['alpha beta', 'rare77 epsilon', 'rare5000 odd']) q
), ranked AS (
    SELECT ranker, q, CASE ranker WHEN 'ts_rank' THEN ts_rank('{0.1,0.1,0.15,0.2}', without_parts(tsv), words, 1) ELSE ts_rank_cd('{0.1,0.1,0.15,0.2}', without_parts(tsv), words, 1) END::float8 AS score
    FROM call, kb_counted.chunk WHERE tsv @@ words
), best AS (
    SELECT ranker, q, score, row_number() OVER (PARTITION BY ranker, q ORDER BY score DESC) AS place FROM ranked
), found AS MATERIALIZED (
    SELECT call.ranker, q, score, ordinality AS place FROM call, kb_search(q, 'counted', 'keyword', 100, ranker => call.ranker) WITH ORDINALITY
)
SELECT ranker, q, count(f.score) AS results, count(*) FILTER (WHERE (abs(f.score - b.score) < 1e-6) IS NOT TRUE) AS wrong
FROM found f FULL JOIN (SELECT * FROM best WHERE place <= 100) b USING (ranker, q, place) GROUP BY ranker, q ORDER BY ranker, q;

-- Changed, deleted and new chunks, one statement after the other: segments of both signs and all sizes.
UPDATE kb_counted.document SET content = content || ' alpha delta delta' WHERE metadata @> '{"tenth": 3}';
DELETE FROM kb_counted.document WHERE metadata @> '{"tenth": 4}';
DO $$ BEGIN
    FOR n IN 1..90 LOOP
        INSERT INTO kb_counted.document (content, source_key, metadata) VALUES ('epsilon alpha beta often' || n % 10, 'new' || n, '{"half": 0}');
        UPDATE kb_counted.document SET content = content || ' gamma epsilon' WHERE source_key = 'n' || n * 5;
        DELETE FROM kb_counted.document WHERE source_key IN ('new' || n - 3, 'n' || n * 5 - 10);
    END LOOP;
END $$;
SELECT *, (SELECT count(DISTINCT sign) FROM kb_counted.keyword_segment) AS signs FROM figures;
TRUNCATE wanted;
INSERT INTO wanted SELECT q, words, condition, u.* FROM query, unpruned(words) u;
SELECT filter, count(*) AS queries, sum(results) AS results, sum(wrong) AS wrong FROM query, filter, different(q, filter, 20) d GROUP BY filter ORDER BY results DESC;
-- Merging them changes no answer, nor does building the index again.
CALL kb_work();
SELECT *, (SELECT count(*) FROM kb_counted.keyword_segment) < 64 AS are_merged FROM figures;
SELECT filter, count(*) AS queries, sum(results) AS results, sum(wrong) AS wrong FROM query, filter, different(q, filter, 20) d GROUP BY filter ORDER BY results DESC;
SELECT kb_reconcile('counted');
SELECT kb_reindex('counted');
SELECT *, (SELECT count(*) FROM kb_counted.keyword_segment) AS segments FROM figures;
SELECT filter, count(*) AS queries, sum(results) AS results, sum(wrong) AS wrong FROM query, filter, different(q, filter, 20) d GROUP BY filter ORDER BY results DESC;

-- Without chunks there are no results, whatever the index still lists.
DELETE FROM kb_counted.document;
SELECT * FROM figures;
SELECT count(*) FROM kb_search('alpha', 'counted', 'keyword');
INSERT INTO kb_counted.document (content) VALUES ('alpha again');
SELECT content FROM kb_search('alpha', 'counted', 'keyword');
TRUNCATE kb_counted.document CASCADE;
SELECT *, (SELECT count(*) FROM kb_counted.keyword_segment) AS segments, (SELECT count(*) FROM kb_counted.keyword_run) AS runs FROM figures;
DROP FUNCTION unpruned, looked_up, different;
DROP VIEW figures;
DROP TABLE query, wanted, filter, segment;
SELECT kb_drop('counted');

-- What each statement adds: a segment of new chunks, one of deleted ones, or none.
SELECT kb_create('logged', model => 'fake/test', dimensions => 4, text_config => 'simple', index_method => 'none', chunk_strategy => 'none', part_weight => 0) IS NOT NULL AS created;
CREATE VIEW logged AS SELECT sign, chunks, length, configs, runs, data IS NOT NULL AS is_small FROM kb_logged.keyword_segment ORDER BY id;
INSERT INTO kb_logged.document (content, source_key) SELECT 'alpha beta number' || n, 'k' || n FROM generate_series(1, 3) n;
SELECT * FROM logged;
UPDATE kb_logged.document SET metadata = '{"a": 1}';
SELECT count(*) FROM logged;
UPDATE kb_logged.document SET content = 'alpha gamma' WHERE source_key = 'k1';
SELECT * FROM logged;
DELETE FROM kb_logged.document WHERE source_key = 'k2';
SELECT * FROM logged;
SELECT content, round(score::numeric, 4) AS score FROM kb_search('alpha beta gamma', 'logged', 'keyword');
SELECT kb_reconcile('logged');
-- No merge is queued; kb_reindex leaves one segment of the two chunks.
CALL kb_work();
SELECT unmerged_segments FROM kb_rag.status WHERE knowledge_base = 'logged';
SELECT kb_reindex('logged');
SELECT * FROM logged;
-- Merging changes no answer.
DO $$ BEGIN
    FOR n IN 1..150 LOOP
        INSERT INTO kb_logged.document (content, source_key) VALUES (concat_ws(' ', 'delta', CASE WHEN n % 3 = 0 THEN 'epsilon' END, repeat('zeta ', n % 5)), 'd' || n);
        IF n % 10 = 0 THEN
            DELETE FROM kb_logged.document WHERE source_key = 'd' || (n - 3);
        END IF;
    END LOOP;
END $$;
CREATE TEMPORARY TABLE answers AS SELECT q, chunk_id, score FROM unnest(ARRAY['epsilon zeta', 'delta', '"delta epsilon"', 'delta -zeta']) q, kb_search(q, 'logged', 'keyword', 100, syntax => 'web');
SELECT q, count(*) FROM answers GROUP BY q ORDER BY q;
SELECT unmerged_segments >= 100 AS are_many FROM kb_rag.status WHERE knowledge_base = 'logged';
SELECT kind, target = knowledge_base_id AS of_base, count(*) FROM kb_rag.job GROUP BY 1, 2;
CALL kb_work();
SELECT count(*) FROM kb_rag.job;
SELECT unmerged_segments < 64 AS are_few FROM kb_rag.status WHERE knowledge_base = 'logged';
CREATE VIEW changed AS
    SELECT a.q, count(*) FROM answers a FULL JOIN (SELECT q, chunk_id, score FROM unnest(ARRAY['epsilon zeta', 'delta', '"delta epsilon"', 'delta -zeta']) q, kb_search(q, 'logged', 'keyword', 100, syntax => 'web')) b
        USING (q, chunk_id) WHERE (abs(a.score - b.score) < 1e-9) IS NOT TRUE GROUP BY 1;
SELECT * FROM changed;
SELECT kb_reconcile('logged');
SELECT kb_reindex('logged');
SELECT * FROM changed;
-- Lost rows are found, and written again without the triggers.
DELETE FROM kb_logged.keyword_segment;
SELECT count(*) FROM kb_search('delta', 'logged', 'keyword', 100);
SELECT kb_reconcile('logged');
SELECT * FROM changed;
ALTER TABLE kb_logged.chunk DISABLE TRIGGER USER;
INSERT INTO kb_logged.document (content) VALUES ('alpha, unseen by the triggers of the index');
ALTER TABLE kb_logged.chunk ENABLE TRIGGER USER;
SELECT count(*) FROM kb_search('unseen', 'logged', 'keyword');
SELECT kb_reconcile('logged');
SELECT content FROM kb_search('unseen', 'logged', 'keyword');
SELECT kb_reconcile('logged');
-- An index that its owner dropped is an error, which names the fix.
DROP INDEX kb_logged.chunk_keyword_number;
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_search('alpha', 'logged', 'keyword')$$);
CREATE UNIQUE INDEX ON kb_logged.chunk (keyword_number);
SELECT count(*) > 0 AS finds FROM kb_search('alpha', 'logged', 'keyword');
-- TRUNCATE of either table empties the index, in its transaction.
BEGIN;
TRUNCATE kb_logged.chunk CASCADE;
SELECT count(*) FROM logged;
SELECT count(*) FROM kb_search('alpha', 'logged', 'keyword');
ROLLBACK;
SELECT count(*) > 0 AS finds FROM kb_search('alpha', 'logged', 'keyword');
TRUNCATE kb_logged.document CASCADE;
SELECT count(*) FROM logged;
INSERT INTO kb_logged.document (content) VALUES ('alpha omega');
SELECT * FROM logged;
-- Direct writes to chunk: a change of the lexemes gives the chunk a new number, any other does not.
SELECT keyword_number AS number FROM kb_logged.chunk \gset
UPDATE kb_logged.chunk SET heading = 'psi', content = 'alpha psi';
SELECT keyword_number = :number AS same_number FROM kb_logged.chunk;
SELECT count(*) FROM logged;
UPDATE kb_logged.chunk SET tsv = 'psi:1 chi:2 chi:3', length = 3;
SELECT keyword_number = :number AS same_number FROM kb_logged.chunk;
SELECT * FROM logged;
SELECT q, count(*) FROM unnest(ARRAY['alpha', 'chi', 'psi']) q, kb_search(q, 'logged', 'keyword') GROUP BY q ORDER BY q;
INSERT INTO kb_logged.chunk (id, document_id, length, tsv, text_config, ordinal, start_char, end_char, source_type, content, metadata, content_hash)
SELECT gen_random_uuid(), document_id, 1, 'tau:1', text_config, 1, 0, 0, source_type, '', '{}', content_hash FROM kb_logged.chunk;
DELETE FROM kb_logged.chunk WHERE ordinal = 0;
SELECT * FROM logged;
SELECT q, count(*) FROM unnest(ARRAY['alpha', 'chi', 'tau']) q, kb_search(q, 'logged', 'keyword') GROUP BY q ORDER BY q;

-- What a trigger of a user deletes in a block that fails stays in the index, even while a statement collects its chunks.
CREATE FUNCTION undone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM kb_logged.chunk WHERE tsv @@ 'tau';
    RAISE EXCEPTION 'undone';
EXCEPTION WHEN raise_exception THEN
    RETURN NULL;
END $$;
CREATE TRIGGER undone AFTER INSERT ON kb_logged.chunk EXECUTE FUNCTION undone();
INSERT INTO kb_logged.document (content) VALUES ('rho');
SELECT q, count(*) FROM unnest(ARRAY['rho', 'tau']) q, kb_search(q, 'logged', 'keyword') GROUP BY q ORDER BY q;

-- Nobody but the owner reads the tables, whatever the default privileges: they have the words of all documents.
CREATE ROLE kb_test076_reader;
CREATE ROLE kb_test076_writer;
CREATE ROLE kb_test076_anybody;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO kb_test076_reader, PUBLIC;
SELECT kb_create('sealed', model => 'fake/test', dimensions => 4, part_weight => 0) IS NOT NULL AS created;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM kb_test076_reader, PUBLIC;
SELECT kb_grant('sealed', 'kb_test076_reader', 'read'), kb_grant('sealed', 'kb_test076_writer', 'write'), kb_grant('sealed', 'public', 'read');
SELECT kb_add('sealed', 'A secret word.') IS NOT NULL AND kb_add('sealed', 'An open word.', title => 'open') IS NOT NULL AS added;
CREATE FUNCTION refused(OUT table_name text, OUT statement text, OUT state text, OUT message text) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT t, s, e.state, e.message FROM unnest(ARRAY['keyword_segment', 'keyword_run']) t, unnest(ARRAY['TABLE kb_sealed.%I', 'DELETE FROM kb_sealed.%I', 'INSERT INTO kb_sealed.%I DEFAULT VALUES', 'TRUNCATE kb_sealed.%I']) s, error_of(format(s, t)) e
$$;
SELECT r.rolname, t, privilege FROM (SELECT rolname FROM pg_roles WHERE rolname ~ '^kb_test076_(reader|writer|anybody)$' UNION ALL SELECT 'public') r,
    unnest(ARRAY['keyword_segment', 'keyword_run']) t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) privilege
WHERE has_table_privilege(r.rolname, 'kb_sealed.' || t, privilege);
SELECT has_table_privilege('public', 'kb_sealed.source', 'TRIGGER') AS defaults_applied;
SET ROLE kb_test076_reader;
SELECT count(*) FROM kb_sealed.chunk;
SELECT content FROM kb_search('secret word', 'sealed', 'keyword');
SELECT * FROM refused();
SET ROLE kb_test076_anybody;
SELECT content FROM kb_search('secret word', 'sealed', 'keyword');
SELECT DISTINCT state FROM refused();
SET ROLE kb_test076_writer;
INSERT INTO kb_sealed.document (content, title) VALUES ('Another open word.', 'open');
SELECT content FROM kb_search('another secret word', 'sealed', 'keyword');
SELECT DISTINCT state FROM refused();
RESET ROLE;
-- Nor under row security, where searches give what the policy shows.
ALTER TABLE kb_sealed.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY open ON kb_sealed.document FOR SELECT USING (title = 'open');
SET ROLE kb_test076_reader;
SELECT content FROM kb_search('secret word', 'sealed', 'keyword');
SELECT count(*) FROM kb_search('secret', 'sealed', 'keyword');
SELECT DISTINCT state FROM refused();
SELECT documents, chunks, unmerged_segments FROM kb_rag.status WHERE knowledge_base = 'sealed';
SET ROLE kb_test076_anybody;
SELECT content FROM kb_search('secret word', 'sealed', 'keyword');
SELECT DISTINCT state FROM refused();
RESET ROLE;
SELECT documents, chunks, unmerged_segments FROM kb_rag.status WHERE knowledge_base = 'sealed';
SELECT kb_drop('sealed');
DROP FUNCTION refused;
DROP ROLE kb_test076_reader, kb_test076_writer, kb_test076_anybody;
DROP VIEW changed, logged;
DROP TABLE answers;
SELECT kb_drop('logged');
