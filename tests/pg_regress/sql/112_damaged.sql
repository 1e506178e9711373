-- Hostile values in the tables of a base and in the catalog, and unexpected arguments: an error with a hint for this base,
-- and none for others. tests/cluster/tests/hostile_rows.rs generates many more cases.
SET client_min_messages = warning;
CREATE ROLE kb_regress_harmful;
SELECT kb_grant_admin('kb_regress_harmful');
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO kb_regress_harmful', current_database()); END $$;
GRANT CREATE ON SCHEMA public TO kb_regress_harmful;
CREATE TABLE payroll (id int PRIMARY KEY, salary text);
INSERT INTO payroll VALUES (1, 'A secret salary.');
SET ROLE kb_regress_harmful;
SELECT kb_create('harm', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('harm', 'A tale of kiwis.', 'Kiwi') IS NOT NULL AS added;
CREATE TABLE own_page (id int PRIMARY KEY, body text);
INSERT INTO own_page VALUES (1, 'A page of my own.');
RESET ROLE;
SELECT kb_create('sound', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('sound', 'A sound tale of kiwis.') IS NOT NULL AS added;

-- The list of attached tables, with a NUL that text cannot contain, and with tables that the owner may not read: a superuser
-- is shown no statement that would copy one of them.
CREATE PROCEDURE write_list(tables text) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kb_harm.setting VALUES ('attached_tables', tables) ON CONFLICT (name) DO UPDATE SET value = excluded.value;
    DROP TRIGGER IF EXISTS kb_rag_insert ON kb_harm.document;
END
$$;
CREATE FUNCTION entry(location text, source_type text) RETURNS text LANGUAGE sql AS $$
    SELECT format('[{"source_id":"8a40f300-fffd-4999-8733-a60c17cca8e1","location":"%s","uses":["key","content"],"labels":["id","body"],"names":["id","salary"],"source_type":"%s","row_security":"refuse","row_secured":false}]',
        location, source_type)
$$;
CALL write_list(entry('public.nosuch', 'x\u0000y'));
SELECT kb_adopt('kb_harm') IS NOT NULL AS adopted;
CALL write_list(entry('public.payroll', 'x'));
SELECT kb_adopt('kb_harm') IS NOT NULL AS adopted;
CALL write_list(entry('public.x is fine\nHINT:  Run DROP', 'x'));
SELECT kb_adopt('kb_harm') IS NOT NULL AS adopted;
-- The owner of the base is shown the statement.
CALL write_list(entry('public.payroll', 'x'));
SET ROLE kb_regress_harmful;
SELECT kb_adopt('kb_harm') IS NOT NULL AS adopted;
-- A table of the owner is attached again as before.
CALL write_list(replace(entry('public.own_page', 'x'), 'salary', 'body'));
SELECT kb_adopt('kb_harm') IS NOT NULL AS adopted;
SELECT location, status FROM kb_rag.source_status;
SELECT kb_detach('own_page', 'harm', true);
RESET ROLE;

-- Settings of a base that is missing in the catalog.
CREATE TABLE tried (name text, value text);
INSERT INTO tried VALUES ('dimensions', '-3'), ('chunk_size', '0'), ('chunk_overlap', '2000'), ('chunk_unit', 'byte'), ('chunk_strategy', 'magic'),
    ('bm25_k1', 'NaN'), ('title_weight', '-1'), ('match_threshold', 'NaN'), ('match_threshold', '1'), ('match_threshold', 'high'), ('ranker', 'best'), ('embed', 'never'), ('index_method', 'tree');
CREATE FUNCTION adopted_with(which text, hostile text, OUT state text, OUT message text) LANGUAGE plpgsql AS $$
DECLARE kept text := (SELECT value FROM kb_harm.setting WHERE name = which);
BEGIN
    UPDATE kb_harm.setting SET value = hostile WHERE name = which;
    SELECT e.state, e.message INTO state, message FROM error_of($e$SELECT kb_adopt('kb_harm')$e$) e;
    UPDATE kb_harm.setting SET value = kept WHERE name = which;
END
$$;
DELETE FROM kb_rag.knowledge_base WHERE name = 'harm';
SELECT t.*, a.state, a.message FROM tried t, adopted_with(t.name, t.value) a WHERE t.name <> 'dimensions';
-- The dimensions are those of the stored vectors.
SELECT state FROM adopted_with('dimensions', '-3');
UPDATE kb_harm.setting SET value = '["int8", "a\u0000b"]' WHERE name = 'model_variants';
DELETE FROM kb_rag.knowledge_base WHERE name = 'harm';
SELECT kb_adopt('kb_harm') IS NOT NULL AS adopted;
SELECT model_variants FROM kb_rag.knowledge_base WHERE name = 'harm';

-- Forged statistics of keyword search only change the order of results, and kb_reconcile corrects them. Rows that are not what was
-- written are an error.
SELECT kb_add('harm', 'Another tale of kiwis.') IS NOT NULL AS added;
CREATE FUNCTION forged(change text, rows int DEFAULT 0, OUT answer text, OUT repaired text, OUT sound boolean) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kb_reindex('harm');
    IF rows > 0 THEN
        INSERT INTO kb_harm.keyword_run SELECT id, '', 0, data FROM kb_harm.keyword_segment;
        UPDATE kb_harm.keyword_segment SET data = NULL, runs = rows;
    END IF;
    EXECUTE change;
    BEGIN
        answer := (SELECT count(*) FROM kb_search('kiwi', 'harm', 'keyword'));
    EXCEPTION WHEN OTHERS THEN
        answer := SQLSTATE || ': ' || SQLERRM;
    END;
    BEGIN
        repaired := kb_reconcile('harm');
    EXCEPTION WHEN OTHERS THEN
        repaired := SQLSTATE || ': ' || SQLERRM;
        PERFORM kb_reindex('harm');
    END;
    sound := (SELECT count(*) = 2 FROM kb_search('kiwi', 'harm', 'keyword')) AND kb_reconcile('harm') = 0
        AND (SELECT (sum(sign * chunks), sum(sign * length)) = (2, 6) FROM kb_harm.keyword_segment);
END
$$;
SELECT changed, f.* FROM unnest(ARRAY['length = 9223372036854775807', 'length = -5', 'chunks = 0', 'chunks = -1', 'sign = -1', 'sign = 0',
    'configs = ''{"nosuch": 9223372036854775807, "nor": -9223372036854775808}''', 'configs = ''[1, {"a": "b"}]''', 'version = 0',
    'data = NULL', 'data = ''''', 'data = ''\x00ff''', 'data = substr(data, 1, 10)', 'data = set_byte(data, 2, 255)']) changed,
    forged('UPDATE kb_harm.keyword_segment SET ' || changed) f;
-- A count that is far too high, and a number that only PostgreSQL reads: the chunks are found, or it is damage.
SELECT answer ~ '^(2$|XX002)' AS told, repaired, sound FROM forged('UPDATE kb_harm.keyword_segment SET chunks = 2147483647');
SELECT answer ~ '^(2$|XX002)' AS told, repaired, sound FROM forged('UPDATE kb_harm.keyword_segment SET chunks = 2147483647', 1);
SELECT answer ~ '^(2$|XX002)' AS told, repaired, sound FROM forged($$UPDATE kb_harm.keyword_segment SET configs = '{"nosuch": 1e400}'$$);
-- The same for large segments: rows of keyword_run in place of the column data.
SELECT rows, changed, f.* FROM unnest(ARRAY[1, 1000]) rows, unnest(ARRAY['segment SET sign = sign', 'segment SET data = ''\x00ff''',
    'run SET data = ''\x00ff''', 'run SET data = substr(data, 1, 10)', 'run SET segment = segment + 1000', 'run SET lexeme = ''x''', 'run SET ordinal = 9', 'run SET data = ''''']) changed,
    forged('UPDATE kb_harm.keyword_' || changed, rows) f;
SELECT f.* FROM forged('DELETE FROM kb_harm.keyword_run', 1) f;
SELECT f.* FROM forged($$INSERT INTO kb_harm.keyword_run SELECT id + 1000, '', 0, data FROM kb_harm.keyword_segment$$) f;
SELECT kb_reindex('harm');
-- NULL where kb_create does not allow it.
ALTER TABLE kb_harm.keyword_segment ALTER sign DROP NOT NULL, ALTER chunks DROP NOT NULL, ALTER length DROP NOT NULL, ALTER configs DROP NOT NULL, ALTER runs DROP NOT NULL, ALTER version DROP NOT NULL;
SELECT changed, split_part(f.answer, ':', 1) AS answer, f.repaired, f.sound FROM unnest(ARRAY['sign', 'chunks', 'length', 'configs', 'runs', 'version']) changed,
    forged(format('UPDATE kb_harm.keyword_segment SET %I = NULL', changed)) f;
-- A newer version of kb_rag wrote it: an older one destroys nothing of it.
UPDATE kb_harm.keyword_segment SET version = 2;
SELECT call, e.* FROM unnest(ARRAY['kb_search(''kiwi'', ''harm'', ''keyword'')', 'kb_reconcile(''harm'')', 'kb_reindex(''harm'')']) call, error_of('SELECT * FROM ' || call) e;
SELECT min(version) FROM kb_harm.keyword_segment;
UPDATE kb_harm.keyword_segment SET version = 1;
SELECT kb_reconcile('harm');

-- Rows of a large segment are missing: those of lexemes, which only make searches find less, or all.
SELECT kb_create('large', model => 'fake/test', dimensions => 8, part_weight => 0) IS NOT NULL AS created;
INSERT INTO kb_large.document (content) SELECT string_agg('word' || i * 31 + j, ' ') FROM generate_series(1, 200) i, generate_series(1, 60) j GROUP BY i;
SELECT kb_reindex('large');
SELECT count(*) > 3 AS is_large FROM kb_large.keyword_run;
CREATE FUNCTION lost(change text, OUT hits int, OUT repaired bigint, OUT again bigint, OUT sound boolean) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE change;
    hits := (SELECT count(*) FROM kb_search('word1000', 'large', 'keyword'));
    repaired := kb_reconcile('large');
    again := kb_reconcile('large');
    sound := (SELECT count(*) FROM kb_search('word1000', 'large', 'keyword')) = 2;
END
$$;
SELECT l.* FROM lost('SELECT') l;
SELECT l.* FROM lost($$DELETE FROM kb_large.keyword_run WHERE lexeme <> ''$$) l;
SELECT l.* FROM lost('DELETE FROM kb_large.keyword_run WHERE (segment, lexeme, ordinal) = (SELECT segment, lexeme, ordinal FROM kb_large.keyword_run ORDER BY lexeme DESC, ordinal DESC LIMIT 1)') l;
SELECT l.* FROM lost('DELETE FROM kb_large.keyword_run') l;
SELECT kb_drop('large');
-- NULL where kb_create does not allow it.
ALTER TABLE kb_harm.chunk ALTER content DROP NOT NULL, ALTER length DROP NOT NULL, ALTER metadata DROP NOT NULL;
ALTER TABLE kb_harm.embedding ALTER embedding DROP NOT NULL;
UPDATE kb_harm.chunk SET content = NULL, length = NULL, metadata = NULL;
UPDATE kb_harm.embedding SET embedding = NULL;
SELECT content, metadata, similarity FROM kb_hybrid_search('kiwi', 'harm', 1);
ALTER TABLE kb_harm.document ALTER content DROP NOT NULL;
ALTER TABLE kb_harm.document DISABLE TRIGGER USER;
UPDATE kb_harm.document SET content = NULL WHERE title = 'Kiwi';
ALTER TABLE kb_harm.document ENABLE TRIGGER USER;
SELECT state, message, hint FROM error_of($$UPDATE kb_harm.document SET title = 'x' WHERE title = 'Kiwi'$$);
DELETE FROM kb_harm.document WHERE title = 'Kiwi';
DELETE FROM kb_harm.chunk WHERE content IS NULL;
SELECT kb_reconcile('harm') > 0 AS repaired;
SELECT content FROM kb_hybrid_search('kiwi', 'harm', 1);

-- A dropped text search configuration, and chunks that name one that does not exist.
UPDATE kb_harm.chunk SET text_config = 'nosuch."';
SELECT kb_reconcile('harm');
UPDATE kb_harm.keyword_segment SET configs = '{"nosuch.\"": 1}';
SELECT content FROM kb_search('kiwis', 'harm', 'keyword');
SELECT kb_reconcile('harm');
CREATE TEXT SEARCH CONFIGURATION public.regress_config (COPY = simple);
SELECT kb_configure('harm', text_config => 'public.regress_config');
DROP TEXT SEARCH CONFIGURATION public.regress_config;
SELECT * FROM error_of($$SELECT * FROM kb_search('kiwis', 'harm')$$);
-- A search without a scope covers it once it is granted by name.
SELECT kb_grant('harm', current_user::text, 'read');
SELECT content FROM kb_search('kiwis', mode => 'keyword');
SELECT kb_configure('harm', text_config => 'english');
SELECT content FROM kb_search('kiwis', 'harm', 'keyword');

-- A search over all bases leaves a damaged index out, with a warning.
SET client_min_messages = error;
UPDATE kb_harm.keyword_segment SET data = '\x00ff';
SELECT message ~ '"harm"' AS names_base, hint FROM error_of($$SELECT * FROM kb_search('kiwis', 'harm', 'keyword')$$);
SELECT content FROM kb_search('kiwis', mode => 'keyword');
SELECT content FROM kb_search('"tale of kiwis"', syntax => 'web') WHERE knowledge_base = 'sound';
SELECT kb_reindex('harm');
UPDATE kb_harm.keyword_segment SET chunks = 2147483647;
SELECT message ~ '"harm"' AS names_base FROM error_of($$SELECT * FROM kb_search('"tale of kiwis"', 'harm', syntax => 'web')$$);
UPDATE kb_harm.keyword_segment SET chunks = 0;
SELECT message ~ '"harm"' AS names_base FROM error_of($$SELECT * FROM kb_search('"tale of kiwis"', 'harm', syntax => 'web')$$);
SELECT content FROM kb_search('"tale of kiwis"', syntax => 'web') WHERE knowledge_base = 'sound';
UPDATE kb_harm.keyword_segment SET version = 0;
SELECT message ~ '"harm"' AS names_base, hint FROM error_of($$SELECT * FROM kb_search('kiwis', 'harm', 'keyword')$$);
SELECT content FROM kb_search('kiwis', mode => 'keyword');
SELECT kb_reindex('harm');
DROP INDEX kb_harm.chunk_keyword_number;
SELECT content FROM kb_search('kiwis', mode => 'keyword');
CREATE UNIQUE INDEX chunk_keyword_number ON kb_harm.chunk (keyword_number);
SET client_min_messages = warning;
SELECT content FROM kb_search('kiwis', mode => 'keyword') ORDER BY content;

-- A damaged catalog row: an error for its base, a warning for operations over all bases; kb_adopt and kb_drop help.
UPDATE kb_rag.knowledge_base SET model_variants = '{NULL}' WHERE name = 'harm';
SELECT * FROM error_of($$SELECT * FROM kb_search('kiwis', 'harm')$$);
SELECT state FROM error_of($$INSERT INTO kb_harm.document (content) VALUES ('x')$$);
SELECT content FROM kb_search('kiwis', mode => 'keyword');
SELECT name FROM kb_list();
SELECT kb_adopt('kb_harm') IS NOT NULL AS adopted;
SELECT content FROM kb_search('kiwis', 'harm', 'keyword');
ALTER TABLE kb_rag.knowledge_base ALTER bm25_b DROP NOT NULL;
UPDATE kb_rag.knowledge_base SET bm25_b = NULL WHERE name = 'harm';
SELECT state, message FROM error_of($$SELECT kb_reconcile('harm')$$);
UPDATE kb_rag.knowledge_base SET bm25_b = 'NaN', chunk_size = -1 WHERE name = 'harm';
SELECT state, message FROM error_of($$SELECT kb_estimate('harm')$$);
SELECT name FROM kb_list();
UPDATE kb_rag.knowledge_base SET bm25_b = 0.75, chunk_size = 1000 WHERE name = 'harm';
SELECT state, message FROM error_of($$UPDATE kb_rag.knowledge_base SET match_threshold = 'NaN' WHERE name = 'harm'$$);
SELECT state, message FROM error_of($$UPDATE kb_rag.knowledge_base SET match_threshold = -1 WHERE name = 'harm'$$);
ALTER TABLE kb_rag.knowledge_base DROP CONSTRAINT knowledge_base_match_threshold_check;
UPDATE kb_rag.knowledge_base SET match_threshold = 'NaN' WHERE name = 'harm';
SELECT state, message FROM error_of($$SELECT kb_estimate('harm')$$);
UPDATE kb_rag.knowledge_base SET match_threshold = NULL WHERE name = 'harm';
SELECT count(*) FROM kb_estimate('harm');
ALTER TABLE kb_rag.knowledge_base ADD CHECK (match_threshold OPERATOR(pg_catalog.>) -1 AND match_threshold OPERATOR(pg_catalog.<) 1);
UPDATE kb_rag.knowledge_base SET bm25_b = 'NaN' WHERE name = 'harm';
DELETE FROM kb_harm.setting;
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_harm')$$);
SELECT kb_drop('harm');
ALTER TABLE kb_rag.knowledge_base ALTER bm25_b SET NOT NULL;
INSERT INTO kb_rag.provider (name, kind, base_url, headers, owner) VALUES ('wrong', 'nosuch', 'http://localhost', '[]', CURRENT_USER);
SELECT count(*) FROM kb_provider_list() WHERE name = 'wrong';
SELECT state, message, hint FROM error_of($$SELECT kb_embed('x', 'wrong/x', 8)$$);
DELETE FROM kb_rag.provider WHERE name = 'wrong';

-- kb_drop does not drop a view in place of a table, and names it.
SELECT kb_create('viewed', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
DROP TABLE kb_viewed.embedding;
CREATE VIEW kb_viewed.embedding AS SELECT id AS chunk_id FROM kb_viewed.chunk;
SELECT state, message, detail FROM error_of($$SELECT kb_drop('viewed')$$);
DROP VIEW kb_viewed.embedding;
CREATE VIEW kb_viewed.embedding AS SELECT 1 AS chunk_id;
SELECT state, message, detail FROM error_of($$SELECT kb_drop('viewed')$$);
DROP VIEW kb_viewed.embedding;
SELECT kb_drop('viewed');
SELECT count(*) FROM pg_namespace WHERE nspname = 'kb_viewed';

-- Arguments that name no object, and deep JSON.
SELECT state, message FROM error_of($$SELECT kb_import('sound', 0::regclass, '{"content": "a", "embedding": "b"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('sound', 4294967295::regclass, '{"content": "a", "embedding": "b"}')$$);
SELECT state, message FROM error_of($$SELECT kb_rag.to_tsvector(0::regconfig, 'a')$$);
SELECT state, message FROM error_of($$SELECT kb_rag.to_tsvector(4294967295::regconfig, 'a')$$);
SELECT kb_rag.to_tsvector('simple', 'a');
SELECT state, message FROM error_of($$SELECT kb_import('sound', 'payroll', (repeat('[', 5000) || repeat(']', 5000))::jsonb)$$);
SELECT state, message FROM error_of($$SELECT kb_import('sound', 'payroll', ('{"content":' || repeat('[', 5000) || repeat(']', 5000) || '}')::jsonb)$$);
SELECT state, message FROM error_of($$SELECT kb_import('sound', 'payroll', '{"content": 1e400, "embedding": "b"}')$$);
SELECT state, message FROM error_of($$SELECT kb_import('sound', 'payroll', '{"content": "salary", "embedding": "nosuch"}')$$);
SELECT state, message FROM error_of($$SELECT kb_provider_set('deep', 'tei', 'http://localhost', headers => (repeat('[', 5000) || repeat(']', 5000))::jsonb)$$);
SELECT state, message FROM error_of($$SELECT kb_provider_set('deep', 'tei', 'http://localhost', headers => ('{"x":' || repeat('[', 5000) || repeat(']', 5000) || '}')::jsonb)$$);
SELECT kb_provider_set('deep', 'tei', 'http://localhost', headers => '{"x": "y"}');
SELECT headers FROM kb_provider_list() WHERE name = 'deep';
SELECT kb_provider_drop('deep');

-- A missing column of a base that is named: the error names the base.
SELECT kb_create('cut', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('cut', 'A text.') IS NOT NULL AS added;
BEGIN;
ALTER TABLE kb_cut.chunk DROP COLUMN content CASCADE;
SELECT * FROM error_of($$SELECT * FROM kb_search('text', 'cut')$$);
SELECT * FROM error_of($$SELECT kb_add('cut', 'Another text.')$$);
SELECT count(*) FROM kb_search('text');
ROLLBACK;
-- Only phrases, ts_rank and writers read the lexemes of a chunk.
BEGIN;
ALTER TABLE kb_cut.chunk DROP COLUMN tsv CASCADE;
SELECT count(*) FROM kb_search('text', 'cut');
SELECT * FROM error_of($$SELECT * FROM kb_search('"a text"', 'cut', syntax => 'web')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_search('text', 'cut', ranker => 'ts_rank')$$);
SELECT * FROM error_of($$SELECT kb_add('cut', 'Another text.')$$);
SELECT * FROM error_of($$DELETE FROM kb_cut.document$$);
SELECT count(*) FROM kb_search('text');
ROLLBACK;
BEGIN;
ALTER TABLE kb_cut.keyword_segment DROP COLUMN data;
SELECT state, message ~ '"cut"' AS names_base FROM error_of($$SELECT * FROM kb_search('text', 'cut')$$);
SELECT * FROM error_of($$SELECT kb_add('cut', 'Another text.')$$);
SELECT count(*) FROM kb_search('text');
ROLLBACK;
BEGIN;
DROP TABLE kb_cut.keyword_run;
SELECT * FROM error_of($$SELECT * FROM kb_search('text', 'cut')$$);
SELECT count(*) FROM kb_search('text');
SELECT documents, unmerged_segments FROM kb_rag.status WHERE knowledge_base = 'cut';
ROLLBACK;
SELECT count(*) FROM kb_search('text', 'cut');
SELECT kb_drop('cut');

-- A time limit that is longer than an interval of microseconds is shown as the longest one.
SELECT kb_provider_set('patient', 'ollama', 'http://127.0.0.1:1');
UPDATE kb_rag.provider SET timeout = '178000000 years' WHERE name = 'patient';
SELECT timeout FROM kb_provider_list() WHERE name = 'patient';
SELECT kb_provider_drop('patient');

SELECT kb_drop('sound');
DROP TABLE payroll, own_page, tried;
DROP FUNCTION entry, adopted_with, forged;
DROP PROCEDURE write_list;
SELECT kb_revoke_admin('kb_regress_harmful');
DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM kb_regress_harmful', current_database()); END $$;
REVOKE CREATE ON SCHEMA public FROM kb_regress_harmful;
DROP ROLE kb_regress_harmful;
