-- kb_expose: layouts, names of views, and the key of the text.
CREATE ROLE kb_test184_agent;
CREATE ROLE kb_test184_owner;
GRANT CREATE ON SCHEMA public TO kb_test184_owner;
SET client_min_messages = warning;
SELECT kb_grant_admin('kb_test184_owner');
SET ROLE kb_test184_owner;
SELECT kb_create('support', model => 'fake/test', dimensions => 3, chunk_size => 60, chunk_overlap => 0) IS NOT NULL AS created;
INSERT INTO kb_support.document (source_type, source_key, title, content, language, abstract, overview, metadata) VALUES
    ('code', 'src/a.rs', 'A', 'The first function adds two numbers. It returns their sum to the caller.', 'en', 'Adds.', 'It adds two numbers.', '{"agent_id": "a0000000-0000-0000-0000-00000000000a", "team": "core"}'),
    ('agent_output', NULL, NULL, 'A short answer.', NULL, NULL, NULL, '{"agent_id": "robot", "text": "hidden", "filePath": "its own"}');
SELECT kb_grant('support', 'kb_test184_agent', 'read');
SET client_min_messages = notice;

-- A name without a schema is in the first schema of the search_path.
SELECT kb_expose('support', name => 'support_articles', content_key => 'text');
SELECT kb_expose('support', name => 'public.support_articles', content_key => 'text');
RESET ROLE;
CREATE SCHEMA "Vecs" AUTHORIZATION kb_test184_owner;
SET ROLE kb_test184_owner;
SELECT kb_expose('support', name => '"Vecs"."Our articles"');
SET ROLE kb_test184_agent;
SELECT metadata->>'text' AS text, metadata ? 'content' AS has_content FROM support_articles WHERE metadata @> '{"team": "core"}' ORDER BY vec <=> (SELECT kb_embed('sum', 'fake/test', 3)), 1;
SELECT metadata->>'text' AS text FROM support_articles WHERE metadata @> '{"agent_id": "robot"}';
SELECT * FROM error_of('SELECT FROM "Vecs"."Our articles"') \gx
RESET ROLE;
SELECT col_description('support_articles'::regclass, 3) AS comment;
GRANT USAGE ON SCHEMA "Vecs" TO kb_test184_agent;
SET ROLE kb_test184_agent;
SELECT count(*), count(metadata->>'content') AS contents FROM "Vecs"."Our articles";
-- The slot of a manifest needs no edit.
SELECT kb_retrieve('{"type": "pgvector", "hostname": "h", "port": 5432, "password": "${P}", "collection": "support_articles", "content_key": "text", "metadata_filter": {"team": "core"},
    "embedding_model": "fake/test", "embedding_dimensions": 3, "top_k": 1}', '[{"role": "customer", "content": "The first function adds two numbers."}]');
RESET ROLE;

-- The other layouts.
SET ROLE kb_test184_owner;
SELECT kb_expose('support', 'embeddings'), kb_expose('support', 'knowledge_chunks'), kb_expose('support', 'entry'), kb_expose('support', 'llamaindex');
SELECT v.relname, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) AS columns, count(*) = count(col_description(a.attrelid, a.attnum)) AS commented
FROM pg_class v JOIN pg_attribute a ON a.attrelid = v.oid AND a.attnum > 0 WHERE v.relnamespace = 'kb_support'::regnamespace AND v.relkind = 'v' GROUP BY 1 ORDER BY 1;
RESET ROLE;
SET ROLE kb_test184_agent;
SELECT source_type, CASE WHEN source_id ~ '^[0-9a-f]{8}-' THEN 'its id' ELSE source_id END AS source_id, content, abstract, overview, content_tsv @@ to_tsquery('english', 'sum') AS found, model, metadata - 'agent_id' AS metadata,
    created_at > '2000-01-01' AS has_time FROM kb_support.embeddings ORDER BY content COLLATE "C";
SELECT agent_id, knowledge_id IN (SELECT id FROM kb_support.document) AS known, content, metadata - 'agent_id' AS metadata FROM kb_support.knowledge_chunks ORDER BY content COLLATE "C";
SELECT title, source_key, source_type, ordinal, start_char, end_char, content, tsv IS NOT NULL AS tsv FROM kb_support.entry ORDER BY content COLLATE "C";
SELECT id > 0 AS numbered, text, metadata_::jsonb - '{document_id,ref_doc_id,doc_id,agent_id}'::text[] AS metadata, node_id::uuid IS NOT NULL AS node FROM kb_support.data_support ORDER BY text COLLATE "C";
RESET ROLE;
-- All of them use the vector index.
SELECT kb_create('many', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
INSERT INTO kb_many.document (content, metadata) SELECT 'Text ' || n, '{"agent_id": "a0000000-0000-0000-0000-00000000000a"}' FROM generate_series(1, 5000) n;
VACUUM ANALYZE kb_many.document, kb_many.chunk, kb_many.embedding;
CREATE FUNCTION uses_index(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text; found boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP found := found OR line ~ 'Index Scan using embedding_hnsw'; END LOOP;
    RETURN found;
END
$$;
SELECT layout, uses_index(format('SELECT * FROM %s ORDER BY %I <=> %L LIMIT 5', kb_expose('many', layout), CASE layout WHEN 'pgvector' THEN 'vec' ELSE 'embedding' END, kb_embed('Text 7', 'fake/test', 8)))
FROM unnest('{pgvector,embeddings,knowledge_chunks,entry,llamaindex}'::text[]) layout;
SELECT kb_drop('many');

-- An output of an agent is known by the agent, as it was named.
SELECT kb_add_output('support', repeat('What I found out. ', 8), agent_id => agent) IS NOT NULL AS added
FROM unnest('{researcher,3f8a1c52-5b0e-4a57-9d1c-0b7a6f2d9e41}'::text[]) agent;
SELECT DISTINCT source_id, metadata ? 'filePath' AS has_path FROM kb_support.embeddings WHERE content LIKE 'What I%' ORDER BY source_id;
DELETE FROM kb_support.document WHERE content LIKE 'What I%';

-- A change of the model takes all of them along, and names the new one. Privileges stay.
SELECT kb_configure('support', model => 'fake/it''s', dimensions => 4) IS NOT NULL AS configured;
SELECT DISTINCT model, vector_dims(embedding) FROM kb_support.embeddings;
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'support_articles'::regclass AND attname = 'vec';
SET ROLE kb_test184_agent;
SELECT (SELECT count(*) FROM support_articles) AS articles, (SELECT count(*) FROM "Vecs"."Our articles") AS ours, (SELECT count(*) FROM kb_support.entry) AS entries;
RESET ROLE;
SELECT xmin AS before FROM pg_class WHERE oid = 'kb_support.embeddings'::regclass \gset
SELECT kb_expose('support', 'embeddings');
SELECT xmin = :'before' AS untouched FROM pg_class WHERE oid = 'kb_support.embeddings'::regclass;
-- kb_revoke and kb_grant reach them.
SELECT kb_revoke('support', 'kb_test184_agent', 'read');
SET ROLE kb_test184_agent;
SELECT state, message FROM error_of('SELECT FROM support_articles');
RESET ROLE;
SELECT kb_grant('support', 'kb_test184_agent', 'read');
SET ROLE kb_test184_agent;
SELECT count(*) FROM support_articles;
RESET ROLE;
-- A view of a user on one of them blocks changes, and is named.
CREATE VIEW mine AS SELECT text FROM kb_support.data_support;
SELECT state, message, detail FROM error_of($$SELECT kb_configure('support', dimensions => 5)$$) \gx
SELECT state, detail FROM error_of($$SELECT kb_drop('support')$$) \gx
DROP VIEW mine;

-- Mistakes.
CREATE TABLE taken (id int);
CREATE VIEW not_made AS SELECT 1 AS id;
SELECT * FROM error_of($$SELECT kb_expose('support', name => 'taken')$$) \gx
SELECT state, message FROM error_of($$SELECT kb_expose('support', name => 'not_made')$$);
SELECT state, message FROM error_of($$SELECT kb_expose('support', name => 'kb_support.document')$$);
SELECT * FROM error_of($$SELECT kb_expose('support', name => '')$$) \gx
SELECT state, message FROM unnest(ARRAY['a b', 'a.b.c', 'pg_catalog.x', 'pg_temp.x', '"', 'a.', repeat('n', 64), 'x; DROP TABLE taken', 'no_such_schema.x']) n, error_of(format('SELECT kb_expose(%L, name => %L)', 'support', n));
SELECT state, message, hint FROM error_of($$SELECT kb_expose('support', content_key => '')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_expose('support', 'entry', content_key => 'text')$$);
SET search_path = no_such;
SELECT state, message FROM public.error_of($$SELECT public.kb_expose('support', name => 'x')$$);
RESET search_path;
SET ROLE kb_test184_agent;
SELECT state, message FROM error_of($$SELECT kb_expose('support', name => 'x')$$);
RESET ROLE;
-- The view belongs to the owner of the base, who needs CREATE on the schema.
REVOKE CREATE ON SCHEMA public FROM kb_test184_owner;
SELECT state, message FROM error_of($$SELECT kb_expose('support', name => 'x')$$);
-- The view of another base.
SELECT kb_create('other', model => 'fake/test', dimensions => 3) IS NOT NULL AS created;
SELECT state, message FROM error_of($$SELECT kb_expose('other', name => 'support_articles')$$);
SELECT kb_drop('other');

-- kb_drop removes them, wherever they are.
SELECT kb_drop('support');
SELECT to_regclass('support_articles'), to_regclass('"Vecs"."Our articles"');
SELECT kb_revoke_admin('kb_test184_owner');
DROP SCHEMA "Vecs";
DROP ROLE kb_test184_agent, kb_test184_owner;
