-- kb_expose with the layout supabase: functions that clients call by name, as match_documents and kw_match_documents of Supabase.
SET client_min_messages = warning;
CREATE ROLE kb_test196_owner;
CREATE ROLE kb_test196_app;
CREATE ROLE kb_test196_other;
CREATE SCHEMA kb_test196_api AUTHORIZATION kb_test196_owner;
GRANT USAGE ON SCHEMA kb_test196_api TO kb_test196_app, kb_test196_other;
SELECT kb_grant_admin('kb_test196_owner');
SET ROLE kb_test196_owner;
SELECT kb_create('support', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
INSERT INTO kb_support.document (title, content, metadata) VALUES
    ('Returns', 'You can return any item within thirty days.', '{"year": 2026, "team": "shop"}'),
    ('Parcels', 'Parcels within Europe arrive in three to five working days.', '{"year": 2024, "team": "shop"}'),
    ('Shifts', 'The desk at the airport opens at six.', '{"year": 2025, "team": "desk"}');
SELECT kb_grant('support', 'kb_test196_app', 'read');
-- What default privileges give others is not theirs.
ALTER DEFAULT PRIVILEGES FOR ROLE kb_test196_owner IN SCHEMA kb_test196_api GRANT EXECUTE ON FUNCTIONS TO kb_test196_other;
SET client_min_messages = notice;
SELECT kb_expose('support', layout => 'supabase', name => 'kb_test196_api.match_documents');
SET client_min_messages = warning;
RESET ROLE;
CREATE VIEW kb_test196_functions AS
    SELECT p.oid, p.pronamespace::regnamespace AS schema, p.proname AS name, p.prosecdef AS definer, p.provolatile AS volatile, p.proacl, p.proowner,
        pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result, obj_description(p.oid, 'pg_proc') AS comment
    FROM pg_proc p WHERE p.proname LIKE '%match_documents' ORDER BY p.proname DESC;
CREATE VIEW kb_test196_callers AS
    SELECT f.name, (SELECT string_agg(CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END, ', ' ORDER BY a.grantee::regrole::text) FROM aclexplode(f.proacl) a WHERE a.grantee <> f.proowner) AS callers
    FROM kb_test196_functions f;
GRANT SELECT ON kb_test196_functions, kb_test196_callers TO kb_test196_owner;
SELECT schema, name, definer, volatile, proowner::regrole AS owner, arguments, result, comment FROM kb_test196_functions \gx
SELECT * FROM kb_test196_callers;
SELECT count(*) AS relations FROM pg_class WHERE relname LIKE '%match_documents';

-- The calls of LangChain: a vector, how many, a filter; or no number, and a limit beside it. A filter has the operators of kb_search.
SELECT kb_embed('The desk at the airport opens at six.', 'fake/test', 8)::text AS query \gset
SET ROLE kb_test196_app;
SET search_path = kb_test196_api, public;
SELECT content, metadata - 'title' AS metadata, round(similarity::numeric, 3) AS similarity, vector_dims(embedding) AS dimensions, round((1 - (embedding <=> :'query'))::numeric, 3) AS of_embedding FROM match_documents(query_embedding => :'query', match_count => 1);
SELECT content FROM match_documents(query_embedding => :'query', match_count => 1, filter => '{"team": "shop", "year": {"$gte": 2025}}');
SELECT count(*) FROM match_documents(:'query', filter => '{"year": {"$in": [2024, 2025]}}');
SELECT (SELECT count(*) FROM match_documents(:'query')) AS all, (SELECT count(*) FROM (SELECT FROM match_documents(:'query') LIMIT 2) l) AS limited,
    (SELECT count(*) FROM match_documents(query_embedding => :'query', match_count => NULL, filter => NULL)) AS nulls;
-- They are the rows of kb_search, the best first.
SELECT array_agg(id) = (SELECT array_agg(chunk_id) FROM kb_search('', 'support', 'semantic', query_embedding => :'query', match_threshold => -1)) AS same FROM match_documents(:'query');
-- As PostgREST calls it: arguments from JSON.
SELECT content FROM json_to_record(json_build_object('query_embedding', :'query'::json, 'match_count', 1)) AS j (query_embedding vector, match_count int), match_documents(query_embedding => j.query_embedding, match_count => j.match_count);
SELECT content, similarity > 0 AND similarity < 0.1 AS small FROM kw_match_documents(query_text => 'airport', match_count => 5);
SELECT count(*) FROM kw_match_documents('return parcels airport');
SELECT count(*) FROM kw_match_documents('zeppelin');
-- Mistakes are those of kb_search.
SELECT state, message FROM unnest(ARRAY['NULL', '''[1,2]''', '''[0,0,0,0,0,0,0,0]''']) v, error_of(format('SELECT * FROM match_documents(%s)', v));
SELECT state, message FROM error_of(format('SELECT * FROM match_documents(%L, 0)', :'query'));
SELECT state, message FROM error_of(format('SELECT * FROM match_documents(%L, filter => %L)', :'query', '{"year": {"$near": 1}}'));
SELECT state, message FROM unnest(ARRAY['NULL', '''''', '''x'', -1']) t, error_of(format('SELECT * FROM kw_match_documents(%s)', t));
RESET search_path;
RESET ROLE;

-- Those who may read the base may call them, and nobody else: kb_grant and kb_revoke include them.
SET ROLE kb_test196_other;
SELECT state, message FROM error_of(format('SELECT * FROM kb_test196_api.match_documents(%L)', :'query'));
SELECT state, message FROM error_of('SELECT * FROM kb_test196_api.kw_match_documents(''airport'')');
RESET ROLE;
SELECT kb_grant('support', 'kb_test196_other', 'read');
SELECT * FROM kb_test196_callers;
SET ROLE kb_test196_other;
SELECT (SELECT count(*) FROM kb_test196_api.match_documents(:'query')) AS by_vector, (SELECT count(*) FROM kb_test196_api.kw_match_documents('airport')) AS by_keyword;
RESET ROLE;
SELECT kb_revoke('support', 'kb_test196_other', 'read');
SELECT * FROM kb_test196_callers;
-- The privilege on the function alone is not enough: it runs as its caller.
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA kb_test196_api TO kb_test196_other;
SET ROLE kb_test196_other;
SELECT state, message FROM error_of(format('SELECT * FROM kb_test196_api.match_documents(%L)', :'query'));
SELECT state, message FROM error_of('SELECT * FROM kb_test196_api.kw_match_documents(''airport'')');
RESET ROLE;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA kb_test196_api FROM kb_test196_other;
-- So row security holds.
SET ROLE kb_test196_owner;
ALTER TABLE kb_support.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY team ON kb_support.document USING (metadata->>'team' = current_setting('app.team', true));
SET ROLE kb_test196_app;
SET app.team = 'desk';
SELECT content FROM kb_test196_api.match_documents(:'query');
SELECT count(*) FROM kb_test196_api.kw_match_documents('return parcels airport');
RESET app.team;
SELECT (SELECT count(*) FROM kb_test196_api.match_documents(:'query')) AS by_vector, (SELECT count(*) FROM kb_test196_api.kw_match_documents('airport')) AS by_keyword;
SET ROLE kb_test196_owner;
DROP POLICY team ON kb_support.document;
ALTER TABLE kb_support.document DISABLE ROW LEVEL SECURITY;

-- Again: nothing is replaced. What was altered is repaired, and what is missing is made and granted.
SELECT oid AS before, xmin AS row FROM pg_proc WHERE proname = 'match_documents' \gset
SELECT kb_expose('support', 'supabase', 'kb_test196_api.match_documents');
SELECT oid = :before AND xmin = :'row' AS untouched FROM pg_proc WHERE proname = 'match_documents';
ALTER FUNCTION kb_test196_api.match_documents SECURITY DEFINER;
DROP FUNCTION kb_test196_api.kw_match_documents;
REVOKE EXECUTE ON FUNCTION kb_test196_api.match_documents FROM kb_test196_app;
SELECT kb_expose('support', 'supabase', 'kb_test196_api.match_documents');
SELECT f.name, f.definer, c.callers, f.oid = :before AS kept FROM kb_test196_functions f JOIN kb_test196_callers c USING (name) ORDER BY 1;
-- In the schema of the base, unless a name is given; and in several places.
SELECT kb_expose('support', 'supabase');
SET ROLE kb_test196_app;
SELECT (SELECT count(*) FROM kb_support.match_documents(:'query')) AS by_vector, (SELECT count(*) FROM kb_support.kw_match_documents('airport')) AS by_keyword;
RESET ROLE;
SET ROLE kb_test196_owner;

-- They follow the base: a change of the model and of the dimensions, as halfvec too, another name, another schema.
SELECT kb_configure('support', model => 'fake/other', dimensions => 2048) IS NOT NULL AS configured;
SET ROLE kb_test196_app;
SELECT content, vector_dims(embedding) FROM kb_test196_api.match_documents(kb_embed('The desk at the airport opens at six.', 'fake/other', 2048), 1);
SELECT state, message FROM error_of(format('SELECT * FROM kb_test196_api.match_documents(%L)', :'query'));
SET ROLE kb_test196_owner;
SELECT kb_configure('support', model => 'fake/test', dimensions => 8) IS NOT NULL AS configured;
SELECT kb_rename('support', 'helpdesk');
SET ROLE kb_test196_app;
SELECT (SELECT count(*) FROM kb_test196_api.match_documents(:'query')) AS by_vector, (SELECT count(*) FROM kb_test196_api.kw_match_documents('airport')) AS by_keyword;
RESET ROLE;
ALTER SCHEMA kb_support RENAME TO kb_moved;
SELECT count(*) FROM kb_test196_api.kw_match_documents('airport');
SELECT state, message FROM error_of(format('SELECT * FROM kb_test196_api.match_documents(%L)', :'query'));
SELECT kb_adopt('kb_moved') IS NOT NULL AS adopted;
SET ROLE kb_test196_app;
SELECT (SELECT count(*) FROM kb_test196_api.match_documents(:'query')) AS elsewhere, (SELECT count(*) FROM kb_moved.match_documents(:'query')) AS beside_the_tables;
RESET ROLE;
-- They stay without the extension, and work again with it.
DROP EXTENSION kb_rag CASCADE;
SELECT count(*) FROM kb_test196_functions;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag;
SET client_min_messages = warning;
SELECT kb_grant_admin('kb_test196_owner');
SELECT kb_adopt('kb_moved', 'support') IS NOT NULL AS adopted;
SET ROLE kb_test196_app;
SELECT (SELECT count(*) FROM kb_test196_api.match_documents(:'query')) AS by_vector, (SELECT count(*) FROM kb_test196_api.kw_match_documents('airport')) AS by_keyword;
SET ROLE kb_test196_owner;
SELECT kb_expose('support', 'supabase', 'kb_test196_api.match_documents');
SELECT count(*) FROM kb_test196_functions;

-- The vector index is read.
SELECT kb_create('many', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
INSERT INTO kb_many.document (content) SELECT 'Text ' || n FROM generate_series(1, 5000) n;
VACUUM ANALYZE kb_many.document, kb_many.chunk, kb_many.embedding;
SELECT kb_expose('many', 'supabase');
BEGIN;
SELECT pg_stat_get_xact_numscans('kb_many.embedding_hnsw'::regclass) AS scans \gset
SELECT count(*) FROM kb_many.match_documents(:'query', 5);
SELECT pg_stat_get_xact_numscans('kb_many.embedding_hnsw'::regclass) - :scans AS scans;
-- Without a number, up to 1,000 rows.
SELECT count(*) FROM kb_many.match_documents(:'query');
SELECT count(*) FROM kb_many.kw_match_documents('text');
COMMIT;
SELECT kb_drop('many');

-- Mistakes.
CREATE FUNCTION kb_test196_api.docs(query_embedding vector, match_threshold float, match_count int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION kb_test196_api.kw_other() RETURNS int LANGUAGE sql AS 'SELECT 1';
SELECT * FROM error_of($$SELECT kb_expose('support', 'supabase', 'kb_test196_api.docs')$$) \gx
SELECT state, message FROM error_of($$SELECT kb_expose('support', 'supabase', 'kb_test196_api.other')$$);
SELECT count(*) AS half_made FROM pg_proc WHERE proname = 'other' AND pronamespace = 'kb_test196_api'::regnamespace;
SELECT state, message FROM error_of($$SELECT kb_expose('support', 'supabase', 'kb_test196_none.docs')$$);
SELECT * FROM error_of(format('SELECT kb_expose(%L, %L, %L)', 'support', 'supabase', repeat('n', 61))) \gx
SELECT state, message FROM error_of($$SELECT kb_expose('support', 'supabase', content_key => 'text')$$);
SELECT state, message FROM error_of($$SELECT kb_expose('support', 'supabase', '')$$);
-- Functions of another base.
SELECT kb_create('other', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT state, message FROM error_of($$SELECT kb_expose('other', 'supabase', 'kb_test196_api.match_documents')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_expose('support', 'supabase', 'kb_other.docs')$$);
SELECT kb_drop('other');
RESET ROLE;
-- The owner needs CREATE on the schema, and the caller to be an administrator.
CREATE SCHEMA kb_test196_closed;
SET ROLE kb_test196_owner;
SELECT state, message FROM error_of($$SELECT kb_expose('support', 'supabase', 'kb_test196_closed.docs')$$);
SET ROLE kb_test196_app;
SELECT state, message FROM error_of($$SELECT kb_expose('support', 'supabase', 'kb_test196_api.more')$$);
RESET ROLE;
GRANT CREATE, USAGE ON SCHEMA kb_test196_closed TO kb_test196_owner;
SET ROLE kb_test196_owner;
SELECT kb_expose('support', 'supabase', 'kb_test196_closed.docs');
-- What a user makes on one of them keeps the base, and is named.
CREATE VIEW kb_test196_api.airport AS SELECT content FROM kb_test196_api.kw_match_documents('airport');
SELECT state, message, detail FROM error_of($$SELECT kb_drop('support')$$) \gx
DROP VIEW kb_test196_api.airport;
-- One that its owner made their own with another comment is theirs.
COMMENT ON FUNCTION kb_test196_closed.docs IS 'mine';
SELECT state, message FROM error_of($$SELECT kb_expose('support', 'supabase', 'kb_test196_closed.docs')$$);

-- kb_drop removes them, wherever they are.
SELECT kb_drop('support');
SELECT count(*) FROM kb_test196_functions;
SELECT count(*) AS theirs FROM pg_proc WHERE proname IN ('docs', 'kw_docs') AND pronamespace = 'kb_test196_closed'::regnamespace;
RESET ROLE;
DROP VIEW kb_test196_callers, kb_test196_functions;
SELECT kb_revoke_admin('kb_test196_owner');
ALTER DEFAULT PRIVILEGES FOR ROLE kb_test196_owner IN SCHEMA kb_test196_api REVOKE EXECUTE ON FUNCTIONS FROM kb_test196_other;
DROP SCHEMA kb_test196_api, kb_test196_closed CASCADE;
DROP OWNED BY kb_test196_owner, kb_test196_app, kb_test196_other;
DROP ROLE kb_test196_owner, kb_test196_app, kb_test196_other;
