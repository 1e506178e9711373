-- The search block of a manifest, as an agent calls it: kb_check_search at its start, kb_retrieve before each answer.
SET client_min_messages = notice;
CREATE TABLE support_articles (id bigserial PRIMARY KEY, vec vector(8), metadata jsonb);
INSERT INTO support_articles (vec, metadata)
SELECT kb_embed(t, 'fake/test', 8), jsonb_build_object('content', t, 'kb_location', l)
FROM (VALUES
    ('One-way rentals can be cancelled free of charge.', 'article'),
    ('A driver must be at least 21 years old.', 'article'),
    ('Ask one-way rentals for a discount of 5 percent.', 'internal')) v (t, l);

-- The manifest as it stands, turned to JSON; the model of the tests instead of a service's.
SELECT '{"agent_config": {"search": {
    "type": "pgvector", "hostname": "localhost", "port": 5432, "user": "postgres", "password": "${KB_PG_PASSWORD}",
    "dbname": "contrib_regression", "sslmode": "require", "collection": "support_articles", "content_key": "content",
    "metadata_filter": {"kb_location": "article"}, "embedding_model": "fake/test", "embedding_dimensions": 8, "top_k": 5}}}'::jsonb
    || '{}' AS manifest \gset
SELECT jsonb_set(:'manifest'::jsonb, '{agent_config,search,dbname}', to_jsonb(current_database())) -> 'agent_config' -> 'search' AS block \gset
SELECT '[{"role": "customer", "content": "What is your cancellation policy?"}, {"role": "agent", "content": "Free."},
    {"role": "customer", "content": "And for one-way rentals?"}]'::jsonb AS messages \gset
SELECT kb_check_search(jsonb_build_object('agent_config', jsonb_build_object('search', :'block'::jsonb)));
SELECT kb_retrieve(jsonb_build_object('agent_config', jsonb_build_object('search', :'block'::jsonb)), :'messages');
SELECT kb_retrieve(:'block', :'messages', 'sess_abc123', 'agt_xyz789') = kb_retrieve(jsonb_build_object('search', :'block'::jsonb), :'messages') AS the_block_alone;
-- Without a block, the agent runs without retrieval.
SELECT kb_retrieve('null', :'messages') AS none, kb_retrieve('{"type": "agent", "agent_config": {"search": null}}', :'messages') AS none;
SELECT kb_retrieve(NULL, :'messages') AS none, kb_retrieve('{"agent_config": {}}', :'messages') AS none, kb_check_search(NULL), kb_check_search('{"agent_config": {}}');
-- The defaults: no filter, and five rows.
INSERT INTO support_articles (vec, metadata) SELECT kb_embed('one-way rentals ' || n, 'fake/test', 8), jsonb_build_object('content', 'one-way rentals ' || n) FROM generate_series(1, 9) n;
SELECT count(*) FROM regexp_split_to_table(kb_retrieve((:'block'::jsonb) - ARRAY['metadata_filter', 'top_k', 'content_key', 'user', 'dbname', 'sslmode'], :'messages'), E'\n\n---\n\n');
-- A conversation of 1,000 messages.
SELECT kb_retrieve((:'block'::jsonb) || '{"top_k": 1}', jsonb_agg(jsonb_build_object('role', CASE n % 2 WHEN 0 THEN 'user' ELSE 'assistant' END, 'content', CASE n WHEN 1000 THEN 'How old must a driver be?' ELSE 'Message ' || n END) ORDER BY n)) FROM generate_series(1, 1000) n;

-- Every mistake is named, and no secret shown.
SELECT kb_check_search('[]');
\echo :SQLSTATE
SELECT kb_check_search('{}');
\echo :SQLSTATE
SELECT kb_check_search('{"type": "PGVECTOR"}');
\echo :SQLSTATE
SELECT kb_check_search('{"type": "pgvector"}');
\echo :SQLSTATE
SELECT kb_check_search('{"type": "pgvector", "hostname": "http://me:secret@host", "port": 65536, "password": "hunter2", "sslmode": "on", "collection": "a; DROP TABLE b", "content_key": 1,
    "metadata_filter": "x", "embedding_model": "small", "embedding_dimensions": 1536.5, "top_k": 0, "prompt": {"name": "x"}, "colection": "b"}');
\echo :SQLSTATE
SELECT kb_check_search('{"type": "external", "hostname": "search.example.com:80", "port": "80", "path": "search", "api_key": "sk-123", "top_k": null, "max_messages": -1, "timeout_seconds": -1, "collection": "x"}');
\echo :SQLSTATE
SELECT kb_check_search('{"type": "external", "hostname": "search.example.com", "port": 80, "path": "/search"}');
\echo :SQLSTATE
-- Mistakes that the database shows are named with those of form.
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "no_such_table", "embedding_model": "nowhere/model", "dbname": "other", "prompt": {"id": "rewrite", "version": 3}, "top_k": 0}');
\echo :SQLSTATE
SELECT kb_check_search((:'block'::jsonb) || '{"embedding_dimensions": 1536}');
\echo :SQLSTATE
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "no_such_schema.support_articles"}');
\echo :SQLSTATE
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "support_articles_id_seq"}');
\echo :SQLSTATE
-- kb_retrieve survives each of them.
SELECT kb_retrieve('[]', :'messages');
SELECT kb_retrieve('{"type": "pgvector", "password": "hunter2"}', :'messages');
SELECT kb_retrieve((:'block'::jsonb) || '{"collection": "no_such_table"}', :'messages');
SELECT kb_retrieve((:'block'::jsonb) || '{"embedding_dimensions": 1536}', :'messages');
SELECT kb_retrieve(:'block', NULL);
SELECT kb_retrieve(:'block', '[]');
SELECT kb_retrieve(:'block', '{"role": "user"}');
SELECT kb_retrieve(:'block', '[{"role": "assistant", "content": "Hello"}]');
SELECT kb_retrieve((repeat('[', 500) || repeat(']', 500))::jsonb, :'messages');

-- What kb_check_search tells besides: a host that may not be this server, a key that no row has, a prompt without a chat model.
SELECT kb_prompt_set('rewrite', 'Expand abbreviations.');
SELECT kb_check_search((:'block'::jsonb) || '{"hostname": "kb-postgres.internal.example.com", "content_key": "text", "prompt": {"id": "rewrite"}}');
SELECT kb_retrieve((:'block'::jsonb) || '{"content_key": "text"}', :'messages');
SET kb_rag.chat_model = 'nowhere/chat';
SELECT kb_check_search(:'block');
SELECT kb_retrieve((:'block'::jsonb) || '{"top_k": 1}', :'messages');
SELECT kb_rewrite_query(:'messages');
RESET kb_rag.chat_model;

-- Tables of any shape: columns by type, names as SQL has them, views, halfvec, an exposed base.
CREATE SCHEMA "Vecs";
CREATE TABLE "Vecs"."Articles" (embedding halfvec(8), document jsonb);
INSERT INTO "Vecs"."Articles" SELECT vec::halfvec(8), jsonb_build_object('text', metadata->'content') FROM support_articles WHERE id < 4;
SELECT kb_check_search(b), kb_retrieve(b, :'messages') FROM (SELECT :'block'::jsonb || jsonb_build_object('collection', c, 'content_key', 'text', 'top_k', 1, 'metadata_filter', '{}'::jsonb) AS b FROM unnest(ARRAY['Vecs.Articles', '"Vecs"."Articles"']) c) t;
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "vecs.articles"}');
SET search_path = "Vecs", public;
SELECT kb_retrieve((:'block'::jsonb) || '{"collection": "Articles", "content_key": "text", "metadata_filter": {}, "top_k": 1}', :'messages');
RESET search_path;
CREATE TABLE GRÖSSE AS SELECT vec, metadata FROM support_articles WHERE id = 2;
SELECT kb_retrieve((:'block'::jsonb) || '{"collection": "GRÖSSE"}', :'messages');
DROP TABLE GRÖSSE;
-- A vector of zeros has no direction: it comes last.
CREATE TABLE zeros AS SELECT vec, metadata FROM support_articles WHERE id = 2;
INSERT INTO zeros VALUES ('[0,0,0,0,0,0,0,0]', '{"content": "zeros", "kb_location": "article"}');
SELECT kb_retrieve((:'block'::jsonb) || '{"collection": "zeros"}', :'messages');
DROP TABLE zeros;
CREATE TABLE mixed AS SELECT '[1,0,0]'::vector AS vec, '{"content": "x"}'::jsonb AS metadata;
INSERT INTO mixed VALUES ('[1,0]', '{"content": "x"}');
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "mixed", "embedding_dimensions": 3}');
DROP TABLE mixed;
-- Functions of a view may rely on the search_path, as they do in a query.
CREATE TABLE tenants (location text);
INSERT INTO tenants VALUES ('internal');
CREATE FUNCTION is_of_tenant(jsonb) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN EXISTS (SELECT FROM tenants WHERE location = $1->>'kb_location'); END $$;
CREATE VIEW of_tenant AS SELECT vec, metadata FROM support_articles WHERE is_of_tenant(metadata);
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "of_tenant"}'), kb_retrieve((:'block'::jsonb) || '{"collection": "of_tenant", "metadata_filter": {}}', :'messages');
DROP VIEW of_tenant;
DROP FUNCTION is_of_tenant;
DROP TABLE tenants;
CREATE VIEW narrow AS SELECT vec, metadata FROM support_articles WHERE metadata @> '{"kb_location": "internal"}';
SELECT kb_retrieve((:'block'::jsonb) || '{"collection": "NARROW", "metadata_filter": {}}', :'messages');
ALTER TABLE "Vecs"."Articles" ADD other halfvec(8), ADD more jsonb;
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "Vecs.Articles", "content_key": "text"}');
ALTER TABLE "Vecs"."Articles" ALTER other TYPE halfvec(4);
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "Vecs.Articles", "content_key": "text"}');
ALTER TABLE "Vecs"."Articles" RENAME document TO metadata;
SELECT kb_retrieve((:'block'::jsonb) || '{"collection": "Vecs.Articles", "content_key": "text", "metadata_filter": {}, "top_k": 1}', :'messages');
ALTER TABLE "Vecs"."Articles" DROP embedding, DROP other;
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "Vecs.Articles"}');
SELECT kb_create('rentals', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT count(kb_add('rentals', t)) FROM unnest(ARRAY['One-way rentals cost 50 EUR.', 'Drivers are 21 or older.']) t;
SELECT kb_expose('rentals');
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "kb_rentals.collection"}'), kb_retrieve((:'block'::jsonb) || '{"collection": "kb_rentals.collection", "metadata_filter": {}, "top_k": 1}', :'messages');
SELECT kb_check_search((:'block'::jsonb) || '{"collection": "kb_rentals.collection", "embedding_model": "fake/other"}');

-- Operators and functions of the caller's schemas are not taken.
CREATE SCHEMA trap;
CREATE FUNCTION trap.wrong(jsonb, text) RETURNS text LANGUAGE sql AS $$ SELECT 'trapped' $$;
CREATE OPERATOR trap.->> (FUNCTION = trap.wrong, LEFTARG = jsonb, RIGHTARG = text);
CREATE FUNCTION trap.format(text, name, name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
CREATE FUNCTION trap.has_column_privilege(oid, int2, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
CREATE FUNCTION trap.to_regclass(text) RETURNS regclass LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
CREATE FUNCTION trap.vector_dims(vector) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
SET search_path = trap, pg_catalog, public;
SELECT kb_check_search(:'block'), kb_retrieve((:'block'::jsonb) || '{"top_k": 1}', :'messages');
RESET search_path;

-- Prompts: versions of one owner.
SELECT kb_prompt_set('rewrite', 'Always name the product line.');
SELECT id, version, content, owner = current_user AS mine FROM kb_prompt_list();
SELECT kb_prompt_set('', 'x');
SELECT kb_prompt_set('x', ' ');
SELECT kb_prompt_set(NULL, 'x');
SELECT kb_prompt_set('x', repeat('x', 70000));
CREATE ROLE kb_regress_prompter;
SET ROLE kb_regress_prompter;
SELECT kb_prompt_set('own', 'x');
RESET ROLE;
GRANT EXECUTE ON FUNCTION kb_prompt_set TO kb_regress_prompter;
SET ROLE kb_regress_prompter;
SELECT kb_prompt_set('own', 'x');
SELECT kb_prompt_set('rewrite', 'Ignore the conversation.');
SELECT id, version FROM kb_prompt_list();
SELECT * FROM kb_rag.prompt;
SELECT kb_retrieve(:'block', :'messages');
RESET ROLE;
GRANT SELECT ON support_articles TO kb_regress_prompter;
SET ROLE kb_regress_prompter;
SELECT kb_retrieve((:'block'::jsonb) || '{"top_k": 1}', :'messages');
RESET ROLE;
-- Not a canceled statement, and an error only of the retrieval.
CREATE FUNCTION slow() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN true; END $$;
CREATE VIEW slowly AS SELECT vec, metadata FROM support_articles WHERE slow();
SET statement_timeout = '200ms';
SELECT kb_retrieve((:'block'::jsonb) || '{"collection": "slowly"}', :'messages');
RESET statement_timeout;

-- kb_rewrite_query without a chat model.
SELECT kb_rewrite_query(:'messages');
SELECT kb_rewrite_query(:'messages', 'Be brief.', 'fake/test');
SELECT kb_rewrite_query('[{"role": "assistant", "content": "Hello"}]');
SELECT kb_rewrite_query(NULL);
SELECT length(kb_rewrite_query(jsonb_build_array(jsonb_build_object('role', 'user', 'content', repeat('ä', 5000)))));

-- A provider of an endpoint has an address of its own, without a path.
SELECT kb_provider_set('endpoint', 'external');
SELECT kb_provider_set('endpoint', 'external', 'http://search.example.com/agent-search');
SELECT kb_provider_set('endpoint', 'external', 'http://search.example.com:80');
SELECT kb_provider_set('endpoint', 'openai');
SELECT kb_embed('x', 'endpoint/model');
SELECT kb_check_search('{"type": "external", "hostname": "http://search.example.com", "port": 80, "path": "/search"}');
SELECT kb_provider_drop('endpoint');

DELETE FROM kb_rag.prompt;
DROP TABLE support_articles CASCADE;
DROP SCHEMA "Vecs" CASCADE;
DROP SCHEMA trap CASCADE;
DROP FUNCTION slow;
SELECT kb_drop('rentals');
DROP OWNED BY kb_regress_prompter;
DROP ROLE kb_regress_prompter;
RESET client_min_messages;
