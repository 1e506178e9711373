-- Search runs with the caller's rights; ingestion with the owner's, after the caller's are checked.
SET client_min_messages = warning;
CREATE ROLE kb_regress_owner;
CREATE ROLE kb_regress_reader;
CREATE ROLE kb_regress_writer;
CREATE ROLE kb_regress_stranger;
GRANT EXECUTE ON FUNCTION kb_create TO kb_regress_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO kb_regress_owner', current_database()) \gexec

-- Creating is by grant only.
SET ROLE kb_regress_stranger;
SELECT * FROM error_of($$SELECT kb_create('mine', model => 'fake/test')$$);
RESET ROLE;

SET ROLE kb_regress_owner;
SELECT kb_create('private', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('private', 'A secret of the owner.', title => 'Secret', metadata => '{"level": 1}') IS NOT NULL AS added;
SELECT kb_add('private', 'Another secret.', title => 'Hidden', metadata => '{"level": 2}') IS NOT NULL AS added;
SELECT tableowner, count(*) FROM pg_tables WHERE schemaname = 'kb_private' GROUP BY 1;
GRANT USAGE ON SCHEMA kb_private TO kb_regress_reader, kb_regress_writer;
GRANT SELECT ON kb_private.document, kb_private.chunk, kb_private.embedding TO kb_regress_reader;
GRANT INSERT, UPDATE, DELETE, SELECT ON kb_private.document TO kb_regress_writer;
RESET ROLE;

-- The reader searches and cannot write.
SET ROLE kb_regress_reader;
SELECT title FROM kb_hybrid_search('secret', 'private') ORDER BY title;
SELECT title FROM kb_hybrid_search('secret') ORDER BY title;
SELECT name FROM kb_list();
SELECT knowledge_base, chunks FROM kb_rag.status;
SELECT * FROM error_of($$SELECT kb_add('private', 'x')$$);
SELECT state, message FROM error_of($$INSERT INTO kb_private.document (content) VALUES ('x')$$);
SELECT state, message FROM error_of($$SELECT kb_drop('private')$$);
SELECT * FROM error_of($$SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'private')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_rag.knowledge_base$$);
SELECT state, message FROM error_of($$CREATE TRIGGER t AFTER INSERT ON kb_private.document EXECUTE FUNCTION kb_rag.document_inserted()$$);
RESET ROLE;

-- The writer writes, through kb_add and directly, and needs no right on chunk and embedding.
SET ROLE kb_regress_writer;
SELECT kb_add('private', 'From the writer.', source_key => 'w') IS NOT NULL AS added;
SELECT kb_add('private', 'From the writer, again.', source_key => 'w') IS NOT NULL AS added;
INSERT INTO kb_private.document (content) VALUES ('Directly from the writer.');
SELECT state, message FROM error_of($$SELECT * FROM kb_hybrid_search('writer', 'private')$$);
RESET ROLE;
SELECT content FROM kb_private.chunk WHERE content LIKE '%writer%' ORDER BY content;

-- The stranger gets 42501 or nothing.
SET ROLE kb_regress_stranger;
SELECT state, message FROM error_of($$SELECT * FROM kb_hybrid_search('secret', 'private')$$);
SELECT state, message FROM error_of($$SELECT kb_add('private', 'x')$$);
SELECT count(*) FROM kb_hybrid_search('secret');
SELECT count(*) FROM kb_list();
SELECT count(*) FROM kb_rag.status;
RESET ROLE;

-- Row security on document hides its chunks from search.
ALTER TABLE kb_private.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY low ON kb_private.document TO kb_regress_reader USING (metadata->>'level' = '1');
SET ROLE kb_regress_reader;
SELECT mode, title FROM (VALUES ('hybrid'), ('semantic'), ('keyword')) m (mode), kb_search('secret', 'private', mode);
SELECT content FROM match_knowledge_chunks((SELECT id FROM kb_list()), kb_embed('secret', 'fake/test', 8), 10, -1);
RESET ROLE;
-- A writer under row security writes what the policy allows, through kb_add too.
CREATE POLICY mine ON kb_private.document TO kb_regress_writer USING (source_type = 'own') WITH CHECK (source_type = 'own');
SET ROLE kb_regress_writer;
SELECT kb_add('private', 'Allowed by the policy.', source_type => 'own') IS NOT NULL AS added;
SELECT state FROM error_of($$SELECT kb_add('private', 'Not allowed.')$$);
RESET ROLE;
SELECT content FROM kb_private.chunk WHERE content LIKE '%llowed%';

-- Security forced on the owner does not make ingestion skip rows.
ALTER TABLE kb_private.document FORCE ROW LEVEL SECURITY;
SELECT kb_add('private', 'Written under forced row security.') IS NOT NULL AS added;
SELECT content FROM kb_private.chunk WHERE content LIKE '%forced%';

-- What the owner plants on his tables runs as the owner, also when a superuser writes.
CREATE TABLE public.witness (who text, at text);
GRANT INSERT, SELECT ON public.witness TO PUBLIC;
SET ROLE kb_regress_owner;
CREATE FUNCTION kb_private.spy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO public.witness VALUES (current_user, TG_TABLE_NAME); RETURN NULL; END $$;
CREATE TRIGGER spy AFTER INSERT ON kb_private.chunk FOR EACH ROW EXECUTE FUNCTION kb_private.spy();
CREATE TRIGGER spy AFTER INSERT ON kb_private.embedding FOR EACH ROW EXECUTE FUNCTION kb_private.spy();
RESET ROLE;
INSERT INTO kb_private.document (content) VALUES ('A superuser writes.');
SELECT kb_add('private', 'A superuser adds.') IS NOT NULL AS added;
SELECT DISTINCT who, at FROM public.witness ORDER BY at;
-- It cannot become anybody else.
SET ROLE kb_regress_owner;
CREATE OR REPLACE FUNCTION kb_private.spy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN SET ROLE NONE; RETURN NULL; END $$;
RESET ROLE;
SELECT state, message FROM error_of($$SELECT kb_add('private', 'Trap.')$$);

-- Operators and functions planted in the search path are not found.
SET ROLE kb_regress_owner;
DROP TRIGGER spy ON kb_private.chunk;
DROP TRIGGER spy ON kb_private.embedding;
DROP FUNCTION kb_private.spy;
RESET ROLE;
CREATE SCHEMA evil;
CREATE FUNCTION evil.contains(jsonb, jsonb) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR evil.@> (LEFTARG = jsonb, RIGHTARG = jsonb, FUNCTION = evil.contains);
CREATE FUNCTION evil.ts_rank(tsvector, tsquery, int) RETURNS real LANGUAGE sql AS 'SELECT 99::real';
CREATE TEMP TABLE chunk (id uuid);
SET search_path = evil, pg_temp, pg_catalog, public;
SELECT title, keyword_score < 9 AS real_rank FROM kb_search('secret', 'private', 'keyword', filter => '{"level": 2}');
RESET search_path;
DROP TABLE pg_temp.chunk;
DROP SCHEMA evil CASCADE;

SELECT kb_drop('private');
DROP TABLE public.witness;
SELECT format('REVOKE CREATE ON DATABASE %I FROM kb_regress_owner', current_database()) \gexec
REVOKE EXECUTE ON FUNCTION kb_create FROM kb_regress_owner;
DROP ROLE kb_regress_owner, kb_regress_reader, kb_regress_writer, kb_regress_stranger;
