-- kb_expose: a view for applications that search with SQL of their own.
SET client_min_messages = warning;
CREATE ROLE kb_test176_owner;
CREATE ROLE kb_test176_admin;
CREATE ROLE kb_test176_agent;
CREATE ROLE kb_test176_other;
SELECT kb_grant_admin('kb_test176_owner');
SET ROLE kb_test176_owner;
SELECT kb_create('support', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 0) IS NOT NULL AS created;
SELECT count(kb_add('support', content, title => title, metadata => metadata)) FROM (VALUES
    ('Cancel until 24 hours before pickup, free of charge.', 'Cancelling', '{"kb_location": "article", "tags": ["fees", "cars"]}'::jsonb),
    ('A one-way rental costs 50 EUR more.', 'One way', '{"kb_location": "article", "document_id": "its own", "content": "hidden"}'),
    ('Bring your driving licence.', 'Documents', '{"kb_location": "article"}'), ('Return the car with a full tank.', 'Fuel', '{"kb_location": "article"}'),
    ('Children need a seat.', 'Seats', '{"kb_location": "article"}'), ('Winter tyres are included.', 'Tyres', '{"kb_location": "article"}'),
    ('Lunch is at noon.', NULL, '{"kb_location": "internal"}')) d (content, title, metadata);
SELECT kb_grant('support', 'kb_test176_agent', 'read');
SELECT kb_grant('support', 'kb_test176_admin', 'admin');
RESET ROLE;
CREATE FUNCTION state_of(schema text, OUT owner name, OUT kind "char", OUT options text[], OUT columns text, OUT dimensions int, OUT readers text)
LANGUAGE sql AS $$
    SELECT pg_get_userbyid(r.relowner), r.relkind, r.reloptions,
        (SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = r.oid AND attnum > 0),
        (SELECT atttypmod FROM pg_attribute WHERE attrelid = r.oid AND attname = 'vec'),
        (SELECT string_agg(a.grantee::regrole || ' ' || a.privilege_type, ', ' ORDER BY a.grantee::regrole::text) FROM aclexplode(r.relacl) a WHERE a.grantee <> r.relowner)
    FROM pg_class r WHERE r.oid = to_regclass(schema || '.collection')
$$;

-- Only for administrators, and the view is the owner's. Those who may read the base may read it.
SET ROLE kb_test176_agent;
SELECT state, message, hint FROM error_of($$SELECT kb_expose('support')$$);
SET ROLE kb_test176_admin;
SELECT kb_expose('support');
RESET ROLE;
SELECT * FROM state_of('kb_support') \gx
SELECT obj_description('kb_support.collection'::regclass, 'pg_class');
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'kb_support.collection'::regclass AND attnum > 0 ORDER BY attnum;

-- The rows: the text as `content`, whatever the metadata has; the other keys that are added yield to it.
SELECT v.metadata || CASE WHEN v.metadata->>'document_id' = c.document_id::text THEN '{"document_id": "…"}'::jsonb ELSE '{}' END AS metadata, v.vec = e.embedding AS vector
FROM kb_support.collection v JOIN kb_support.chunk c USING (id) JOIN kb_support.embedding e ON e.chunk_id = c.id
WHERE c.content ~ '^(A one|Lunch)' ORDER BY c.content;
-- Nothing that match_knowledge_chunks returns is missing.
SELECT count(*) AS chunks, count(*) FILTER (WHERE v.metadata @> (m.metadata - 'content') AND v.metadata->>'content' = m.content) AS same
FROM kb_list() l, match_knowledge_chunks(l.id, kb_embed('car', 'fake/test', 8), 100, -1) m JOIN kb_support.collection v USING (id);
-- A chunk without a vector is not there.
BEGIN;
DELETE FROM kb_support.embedding WHERE chunk_id = (SELECT id FROM kb_support.chunk WHERE content ~ '^Lunch');
SELECT count(*) FROM kb_support.collection;
ROLLBACK;

-- As an agent platform calls it, from a manifest: collection kb_support.collection, content_key content, metadata_filter
-- {"kb_location": "article"}, embedding_dimensions 8, top_k 5. At boot it checks the column with the vectors.
SET ROLE kb_test176_agent;
SELECT a.attname, a.atttypmod = 8 AS fits FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = 'kb_support.collection'::regclass AND a.attnum > 0 AND t.typname IN ('vector', 'halfvec');
PREPARE retrieve (vector, jsonb, bigint) AS
    SELECT metadata->>'content' AS body, vec <=> $1 AS distance FROM kb_support.collection WHERE metadata @> $2 ORDER BY vec <=> $1 LIMIT $3;
SELECT kb_embed('A one-way rental costs 50 EUR more.', 'fake/test', 8) AS query \gset
CREATE TEMP TABLE retrieved AS EXECUTE retrieve (:'query', '{"kb_location": "article"}', 5);
SELECT count(*), bool_and(body NOT LIKE 'Lunch%') AS filtered, (SELECT array_agg(distance) FROM retrieved) = (SELECT array_agg(distance ORDER BY distance) FROM retrieved) AS ordered FROM retrieved;
-- Exactly the rows and the distances of a search.
SELECT count(*) FROM retrieved r JOIN kb_search('', 'support', 'semantic', 5, '{"kb_location": "article"}', query_embedding => :'query') s ON s.content = r.body AND abs(s.similarity - (1 - r.distance)) < 1e-6;
SELECT string_agg(body, E'\n\n---\n\n' ORDER BY distance) = array_to_string(ARRAY(SELECT content FROM kb_search('', 'support', 'semantic', 5, '{"kb_location": "article"}', query_embedding => :'query')), E'\n\n---\n\n') AS same FROM retrieved;
EXECUTE retrieve (:'query', '{"tags": ["fees"]}', 5) \g /dev/null
SELECT metadata->>'content' AS body FROM kb_support.collection WHERE metadata @> '{"tags": ["fees"]}' ORDER BY vec <=> :'query' LIMIT 5;
SELECT metadata->>'content' AS body FROM kb_support.collection WHERE metadata @> '{}' ORDER BY vec <=> :'query' LIMIT 1;
-- A bare name follows the search_path.
SET search_path = kb_support, public;
SELECT metadata->>'title' AS title FROM collection WHERE metadata @> '{"kb_location": "article"}' ORDER BY vec <=> :'query' LIMIT 1;
RESET search_path;
DEALLOCATE retrieve;
DROP TABLE retrieved;
RESET ROLE;

-- The index is used, with a filter, with parameters, and for a role under row security.
SELECT kb_create('many', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
INSERT INTO kb_many.document (content, metadata) SELECT 'Text ' || n, jsonb_build_object('kind', CASE n % 100 WHEN 0 THEN 'faq' ELSE 'article' END) FROM generate_series(1, 5000) n;
VACUUM ANALYZE kb_many.document, kb_many.chunk, kb_many.embedding;
SELECT kb_expose('many');
SELECT kb_grant('many', 'kb_test176_agent', 'read');
CREATE FUNCTION plan_of(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
    BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || statement; END
$$;
SELECT * FROM plan_of(format($$SELECT id FROM kb_many.collection ORDER BY vec <=> %L LIMIT 5$$, :'query'));
CREATE FUNCTION uses_index(statement text) RETURNS boolean LANGUAGE sql AS $$
    SELECT bool_or(line ~ 'Index Scan using embedding_hnsw on embedding e') FROM plan_of(statement) line
$$;
SELECT uses_index(format($$SELECT metadata->>'content' FROM kb_many.collection WHERE metadata @> '{"kind": "article"}' ORDER BY vec <=> %L LIMIT 5$$, :'query')) AS filtered,
    uses_index(format($$SELECT metadata->>'content' FROM kb_many.collection ORDER BY vec OPERATOR(public.<=>) %L LIMIT 5$$, :'query')) AS named,
    -- What the index cannot answer: another distance.
    uses_index(format($$SELECT metadata->>'content' FROM kb_many.collection ORDER BY vec <-> %L LIMIT 5$$, :'query')) AS euclidean;
SET plan_cache_mode = force_generic_plan;
PREPARE retrieve (vector, jsonb) AS SELECT metadata->>'content' FROM kb_many.collection WHERE metadata @> $2 ORDER BY vec <=> $1 LIMIT 5;
SELECT uses_index(format($$EXECUTE retrieve(%L, '{"kind": "article"}')$$, :'query')) AS prepared;
DEALLOCATE retrieve;
RESET plan_cache_mode;
-- A rare value: few of the nearest 40 chunks have it. Those that pass are all that the index returns, unless its scan continues.
CREATE FUNCTION rare() RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN
        RETURN (SELECT count(*) FROM (SELECT FROM kb_many.collection WHERE metadata @> '{"kind": "faq"}' ORDER BY vec <=> kb_embed('A one-way rental costs 50 EUR more.', 'fake/test', 8) LIMIT 5) c);
    END
$$;
SELECT rare() < 5 AS fewer;
SET hnsw.iterative_scan = strict_order;
SELECT rare();
RESET hnsw.iterative_scan;
DROP FUNCTION rare;

-- Row security holds: a role sees only the chunks of its documents.
ALTER TABLE kb_many.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY kind ON kb_many.document USING (metadata->>'kind' = current_setting('app.kind', true));
SET ROLE kb_test176_agent;
SELECT count(*) FROM kb_many.collection;
SET app.kind = 'faq';
SELECT count(*), bool_and(metadata @> '{"kind": "faq"}') AS own FROM kb_many.collection;
SELECT count(*), bool_and(metadata @> '{"kind": "faq"}') AS own FROM (SELECT * FROM kb_many.collection ORDER BY vec <=> :'query' LIMIT 5) c;
RESET app.kind;
RESET ROLE;
SELECT count(*) FROM kb_many.collection;
DROP POLICY kind ON kb_many.document;
CREATE POLICY titled ON kb_many.document USING (content <> '');
SET ROLE kb_test176_agent;
SET search_path = kb_many, public;
SELECT uses_index(format($$SELECT metadata->>'content' FROM collection ORDER BY vec <=> %L LIMIT 5$$, :'query')) AS under_row_security;
RESET search_path;
RESET ROLE;
DROP POLICY titled ON kb_many.document;
-- On chunk alone too.
ALTER TABLE kb_many.document DISABLE ROW LEVEL SECURITY;
ALTER TABLE kb_many.chunk ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON kb_many.chunk USING (content ~ '^Text 100[0-9]$');
SET ROLE kb_test176_agent;
SELECT count(*) FROM kb_many.collection;
RESET ROLE;
SELECT kb_drop('many');
DROP FUNCTION uses_index;
DROP FUNCTION plan_of;

-- Privileges: kb_grant and kb_revoke include the view. A privilege on the view alone is not enough, nor one on the tables.
SET ROLE kb_test176_other;
SELECT state, message FROM error_of('SELECT FROM kb_support.collection');
RESET ROLE;
SELECT kb_grant('support', 'kb_test176_other', 'write');
SELECT readers FROM state_of('kb_support');
SET ROLE kb_test176_other;
SELECT count(*) FROM kb_support.collection;
RESET ROLE;
SELECT kb_revoke('support', 'kb_test176_other', 'write');
SELECT readers FROM state_of('kb_support');
REVOKE SELECT ON kb_support.chunk FROM kb_test176_other;
SET ROLE kb_test176_other;
SELECT state, message FROM error_of('SELECT FROM kb_support.collection');
RESET ROLE;
GRANT SELECT ON kb_support.chunk TO kb_test176_other;
SELECT kb_revoke('support', 'kb_test176_other', 'read');
SELECT readers FROM state_of('kb_support');
SELECT kb_grant('support', 'public', 'read');
SELECT readers FROM state_of('kb_support');
SET ROLE kb_test176_other;
SELECT count(*) FROM kb_support.collection;
RESET ROLE;
-- PUBLIC was granted before it is made, too.
DROP VIEW kb_support.collection;
SELECT kb_expose('support');
SELECT readers FROM state_of('kb_support');
SELECT kb_revoke('support', 'public', 'read');
SELECT readers FROM state_of('kb_support');
SET ROLE kb_test176_other;
SELECT state, message FROM error_of('SELECT FROM kb_support.collection');
RESET ROLE;
-- kb_grant warns of tables that show what row security hides; the view shows none of it.
ALTER TABLE kb_support.document ENABLE ROW LEVEL SECURITY;
SELECT kb_grant('support', 'kb_test176_agent', 'read');
ALTER TABLE kb_support.document DISABLE ROW LEVEL SECURITY;

-- Again: nothing is replaced. What was altered is repaired, and a privilege that is missing is granted.
SELECT oid, xmin FROM pg_class WHERE oid = 'kb_support.collection'::regclass \gset
SELECT kb_expose('support', NULL), kb_expose('support', layout => 'pgvector');
SELECT oid = :oid AND xmin = :'xmin' AS untouched FROM pg_class WHERE oid = 'kb_support.collection'::regclass;
REVOKE SELECT ON kb_support.collection FROM kb_test176_agent;
ALTER VIEW kb_support.collection SET (security_invoker = false);
CREATE VIEW titles AS SELECT metadata->>'title' AS title FROM kb_support.collection;
SELECT kb_expose('support');
SELECT options, readers FROM state_of('kb_support');
SELECT to_regclass('kb_support.collection') = :oid::regclass AS kept, (SELECT count(*) FROM titles) AS titles;
ALTER VIEW kb_support.collection RENAME COLUMN vec TO embedding;
SELECT state, message FROM error_of($$SELECT kb_expose('support')$$);
DROP VIEW titles;
SELECT kb_expose('support');
SELECT columns, readers FROM state_of('kb_support');
SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_support'::regnamespace AND relkind = 'v';

-- Another relation of that name is not touched: a table, a view of the owner, one of another role.
SELECT kb_create('own', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
CREATE TABLE kb_own.collection (id int);
SELECT * FROM error_of($$SELECT kb_expose('own')$$) \gx
DROP TABLE kb_own.collection;
CREATE VIEW kb_own.collection AS SELECT e.embedding AS vec FROM kb_own.embedding e;
SELECT state, message FROM error_of($$SELECT kb_expose('own')$$);
SELECT kb_grant('own', 'kb_test176_agent', 'read');
SELECT readers FROM state_of('kb_own');
SELECT state, detail, hint FROM error_of($$SELECT kb_drop('own')$$);
SELECT state, message FROM error_of($$SELECT kb_configure('own', model => 'fake/other', dimensions => 12)$$);
DROP VIEW kb_own.collection;
SELECT kb_expose('own');
ALTER VIEW kb_own.collection OWNER TO kb_test176_other;
SELECT state, message FROM error_of($$SELECT kb_expose('own')$$);
ALTER VIEW kb_own.collection OWNER TO CURRENT_USER;
SELECT kb_expose('own');
-- A comment of its user's makes it the user's.
COMMENT ON VIEW kb_own.collection IS 'mine';
SELECT state FROM error_of($$SELECT kb_expose('own')$$);
DROP VIEW kb_own.collection;
-- A table of another role in the place of one of the base's.
ALTER TABLE kb_own.chunk OWNER TO kb_test176_other;
SELECT state, message FROM error_of($$SELECT kb_expose('own')$$);
ALTER TABLE kb_own.chunk OWNER TO CURRENT_USER;
ALTER TABLE kb_own.chunk RENAME content TO body;
SELECT state, message FROM error_of($$SELECT kb_expose('own')$$);
ALTER TABLE kb_own.chunk RENAME body TO content;

-- Invalid arguments.
SELECT state, message, hint FROM error_of($$SELECT kb_expose('own', 'vecs')$$);
SELECT state, message FROM error_of($$SELECT kb_expose('own', '')$$);
SELECT state, message FROM error_of($$SELECT kb_expose(NULL)$$);
SELECT state, message, hint FROM error_of($$SELECT kb_expose('owns')$$);

-- A change of the model takes it along: with other dimensions, as halfvec, and with the same column; in the statement, and by
-- workers. Its privileges, comments and options stay, and what its owner made of it.
SELECT kb_expose('own');
SELECT kb_grant('own', 'public', 'read');
GRANT SELECT (id) ON kb_own.collection TO kb_test176_other;
INSERT INTO kb_own.document (content) SELECT 'Text ' || n FROM generate_series(1, 20) n;
CREATE VIEW whole AS SELECT s.dimensions, s.options, s.readers, s.columns,
    (SELECT count(*) FROM kb_own.chunk) = 20 AS chunks,
    has_column_privilege('kb_test176_other', to_regclass('kb_own.collection'), 'id', 'SELECT') AS of_column,
    obj_description(to_regclass('kb_own.collection'), 'pg_class') IS NOT NULL AS comment
FROM state_of('kb_own') s;
SELECT kb_configure('own', model => 'fake/other', dimensions => 12);
SELECT * FROM whole \gx
SELECT count(*), count(DISTINCT vec) FROM kb_own.collection;
SELECT kb_configure('own', dimensions => 2048);
SELECT columns, dimensions, readers FROM whole;
SELECT count(*) FROM (SELECT vec <=> kb_embed('Text 7', 'fake/other', 2048) AS distance, metadata->>'content' AS body FROM kb_own.collection ORDER BY 1 LIMIT 1) c WHERE body = 'Text 7' AND distance < 0.01;
SELECT kb_configure('own', model => 'fake/test', dimensions => 2048);
SELECT columns, dimensions, readers FROM whole;
SELECT kb_configure('own', dimensions => 8, embed => 'queued');
SELECT columns FROM whole;
CALL kb_work();
SELECT columns, dimensions, readers FROM whole;
SELECT kb_expose('own');
-- Recreated as it was.
CREATE OR REPLACE VIEW kb_own.collection WITH (security_invoker = true) AS
    SELECT c.id, e.embedding AS vec, c.metadata || jsonb_build_object('content', c.content) AS metadata
    FROM kb_own.embedding e JOIN kb_own.chunk c ON c.id = e.chunk_id JOIN kb_own.document d ON d.id = c.document_id WHERE c.ordinal = 0 AND c.content ~ '1';
SELECT kb_configure('own', model => 'fake/other', dimensions => 8, embed => 'inline');
SELECT count(*), bool_and(metadata->>'content' ~ '1') AS narrowed FROM kb_own.collection;
SELECT kb_expose('own');
SELECT count(*) FROM kb_own.collection;
-- A view of a user on it holds a change up, like one on a table.
CREATE VIEW kb_own.bodies AS SELECT metadata->>'content' AS body FROM kb_own.collection;
SELECT state, message FROM error_of($$SELECT kb_configure('own', model => 'fake/test', dimensions => 8)$$);
SELECT count(*) FROM kb_own.bodies;
SELECT state, detail, hint FROM error_of($$SELECT kb_drop('own')$$);
DROP VIEW kb_own.bodies;
-- The hint names the layout that has the columns of each view: none for a view of documents, since these are not replaced.
DROP VIEW public.whole;
CREATE VIEW kb_own.nodes AS SELECT c.content AS text, c.id AS node_id, e.embedding FROM kb_own.chunk c JOIN kb_own.embedding e ON e.chunk_id = c.id;
CREATE VIEW kb_own.rows AS SELECT c.id, c.content, d.abstract FROM kb_own.chunk c JOIN kb_own.document d ON d.id = c.document_id;
CREATE VIEW kb_own.titles AS SELECT title FROM kb_own.document;
SELECT hint FROM error_of($$SELECT kb_drop('own')$$);
SELECT hint FROM error_of($$SELECT kb_configure('own', model => 'fake/test', dimensions => 8)$$);
DROP VIEW kb_own.nodes, kb_own.rows;
SELECT hint FROM error_of($$SELECT kb_drop('own')$$);
DROP VIEW kb_own.titles;

-- Everything else keeps it.
SELECT kb_rename('own', 'renamed'), kb_expose('renamed');
ALTER SCHEMA kb_own RENAME TO kb_other;
SELECT kb_expose('renamed');
SELECT kb_reindex('renamed'), kb_reconcile('renamed'), kb_configure('renamed', chunk_size => 300, title_weight => 3, index_method => 'none', text_config => 'simple');
CREATE TABLE old_chunks AS SELECT 'Imported.' AS body, kb_embed('Imported.', 'fake/other', 8) AS v;
SELECT kb_import('renamed', 'old_chunks', '{"content": "body", "embedding": "v"}');
DROP TABLE old_chunks;
SELECT count(*), count(*) FILTER (WHERE metadata->>'content' = 'Imported.' AND metadata @> '{"chunk_index": 0}') AS imported FROM kb_other.collection;
SELECT oid AS before FROM pg_class WHERE oid = 'kb_other.collection'::regclass \gset
DELETE FROM kb_rag.knowledge_base WHERE name = 'renamed';
SELECT kb_adopt('kb_other', 'adopted') IS NOT NULL AS adopted;
SELECT kb_expose('adopted');
SELECT 'kb_other.collection'::regclass::oid = :before AS kept;
DROP EXTENSION kb_rag CASCADE;
SELECT count(*) FROM kb_other.collection;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag;
SET client_min_messages = warning;
SELECT kb_adopt('kb_other') IS NOT NULL AS adopted;
SELECT kb_expose('adopted');
SELECT 'kb_other.collection'::regclass::oid = :before AS kept;
SELECT kb_configure('adopted', dimensions => 10);
SELECT dimensions FROM state_of('kb_other');
TRUNCATE kb_other.document CASCADE;
SELECT count(*) FROM kb_other.collection;
-- Without pgvector there are no vectors to show.
DROP EXTENSION vector CASCADE;
SELECT to_regclass('kb_other.collection');
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag CASCADE;
SET client_min_messages = warning;
SELECT kb_adopt('kb_other') IS NOT NULL AS adopted;
SELECT kb_expose('adopted');
-- Its owner drops it.
DROP VIEW kb_other.collection;
SELECT kb_configure('adopted', dimensions => 12);
SELECT to_regclass('kb_other.collection');
SELECT kb_expose('adopted');
SELECT kb_drop('adopted');
SELECT to_regnamespace('kb_other');
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
SELECT kb_drop('support');
SELECT kb_revoke_admin('kb_test176_owner');
DROP FUNCTION state_of;
DROP ROLE kb_test176_owner, kb_test176_admin, kb_test176_agent, kb_test176_other;
RESET client_min_messages;
