-- Owners may change their tables in any way: that causes errors, never a crash, and affects no other base.
SET client_min_messages = warning;
CREATE ROLE kb_regress_mallory;
CREATE ROLE kb_regress_victim;
SELECT kb_grant_admin('kb_regress_mallory');
-- For schemas of its own.
SELECT format('GRANT CREATE ON DATABASE %I TO kb_regress_mallory', current_database()) \gexec
SELECT kb_create('honest', model => 'fake/test', dimensions => 8) AS honest \gset
SELECT kb_add('honest', 'A kiwi is a bird and a fruit.', title => 'Kiwi') IS NOT NULL AS added;
SET ROLE kb_regress_mallory;
SELECT kb_create('evil', model => 'fake/test', dimensions => 8) AS evil \gset
SELECT kb_add('evil', 'A kiwi is worth a lot of money.', title => 'Trap') IS NOT NULL AS added;
RESET ROLE;

-- Columns with a different type.
CREATE FUNCTION altered(change text, undo text, statement text, OUT state text, OUT message text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE change;
    SELECT e.state, e.message, e.hint INTO state, message, hint FROM error_of(statement) e;
    EXECUTE undo;
END
$$;
SELECT * FROM altered('ALTER TABLE kb_evil.document ALTER COLUMN title TYPE int USING 12345', 'ALTER TABLE kb_evil.document ALTER COLUMN title TYPE text',
    $$SELECT * FROM kb_search('kiwi', 'evil')$$);
SELECT * FROM altered('DROP INDEX kb_evil.chunk_metadata; ALTER TABLE kb_evil.chunk ALTER COLUMN metadata TYPE bytea USING ''\x0100004000200000''',
    'ALTER TABLE kb_evil.chunk ALTER COLUMN metadata TYPE jsonb USING ''{}''', $$SELECT * FROM kb_search('kiwi', 'evil')$$);
SELECT * FROM altered('ALTER TABLE kb_evil.document ALTER COLUMN language TYPE int USING 1', 'ALTER TABLE kb_evil.document ALTER COLUMN language TYPE text',
    $$UPDATE kb_evil.document SET language = 2$$);
SELECT * FROM altered('ALTER TABLE kb_evil.document ALTER COLUMN updated_at DROP DEFAULT, ALTER COLUMN updated_at TYPE text', 'ALTER TABLE kb_evil.document ALTER COLUMN updated_at TYPE timestamptz USING now()',
    $$INSERT INTO kb_evil.document (content) VALUES ('x')$$);
SELECT * FROM altered('ALTER TABLE kb_evil.document RENAME COLUMN content_hash TO h', 'ALTER TABLE kb_evil.document RENAME COLUMN h TO content_hash',
    $$INSERT INTO kb_evil.document (content) VALUES ('x')$$);

-- A base with altered tables is left out of a search over all bases and of the status, with a warning.
ALTER TABLE kb_evil.document RENAME COLUMN status TO state;
SELECT title FROM kb_hybrid_search('kiwi');
SELECT knowledge_base FROM kb_rag.status;
ALTER TABLE kb_evil.document RENAME COLUMN state TO status;

-- Code in an index or behind a view runs as the owner, even when a superuser searches all bases or reads the status.
CREATE TABLE witness (who text);
GRANT INSERT ON witness TO PUBLIC;
SET ROLE kb_regress_mallory;
CREATE FUNCTION kb_evil.pwn(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'runs as %', current_user; RETURN 1; END $$;
CREATE INDEX trap ON kb_evil.chunk ((kb_evil.pwn(1) + ordinal));
RESET ROLE;
SELECT count(*) FROM kb_hybrid_search('kiwi', 'evil');
SELECT count(*) FROM kb_rag.status;
DROP INDEX kb_evil.trap;
SET ROLE kb_regress_mallory;
CREATE TABLE kb_evil.kept AS SELECT * FROM kb_evil.chunk;
ALTER TABLE kb_evil.chunk RENAME TO chunk0;
CREATE VIEW kb_evil.chunk AS SELECT * FROM kb_evil.chunk0 WHERE kb_evil.pwn(1) = 1;
RESET ROLE;
SELECT count(*) FROM kb_search('kiwi', 'evil', 'semantic');
SELECT count(*) FROM kb_hybrid_search('kiwi', 'evil', keyword_weight => 0);
-- The keyword index belongs to a table.
SELECT * FROM error_of($$SELECT count(*) FROM kb_hybrid_search('kiwi', 'evil')$$);
SELECT * FROM error_of($$SELECT count(*) FROM kb_search('kiwi', 'evil', 'keyword')$$);
SELECT count(*) FROM kb_hybrid_search('kiwi');
SELECT knowledge_base FROM kb_rag.status;
DROP VIEW kb_evil.chunk;
DROP TABLE kb_evil.kept;
ALTER TABLE kb_evil.chunk0 RENAME TO chunk;

-- So does code on the tables of the keyword index when a superuser writes. A search evaluates no index expression, policy or view
-- of these tables.
SET ROLE kb_regress_mallory;
CREATE FUNCTION kb_evil.fired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING '% of % runs as %', tg_op, tg_table_name, current_user; RETURN NULL; END $$;
CREATE TRIGGER trap AFTER INSERT OR UPDATE OR DELETE ON kb_evil.keyword_segment EXECUTE FUNCTION kb_evil.fired();
CREATE TRIGGER trap AFTER INSERT OR UPDATE OR DELETE ON kb_evil.keyword_run EXECUTE FUNCTION kb_evil.fired();
RESET ROLE;
SELECT kb_add('evil', 'A kiwi that is worth more.', source_key => 'more') IS NOT NULL AS added;
DELETE FROM kb_evil.document WHERE source_key = 'more';
-- A segment that has rows in keyword_run.
SELECT kb_add('evil', string_agg(md5(n::text), ' '), source_key => 'long') IS NOT NULL AS added FROM generate_series(1, 300) n;
DELETE FROM kb_evil.document WHERE source_key = 'long';
SELECT kb_reindex('evil');
DROP TRIGGER trap ON kb_evil.keyword_segment;
DROP TRIGGER trap ON kb_evil.keyword_run;
SET ROLE kb_regress_mallory;
CREATE INDEX trap ON kb_evil.keyword_segment ((kb_evil.pwn(1) + sign));
ALTER TABLE kb_evil.keyword_segment ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY trap ON kb_evil.keyword_segment USING (kb_evil.pwn(1) = 0);
RESET ROLE;
SELECT count(*) FROM kb_search('kiwi', 'evil', 'keyword');
DROP INDEX kb_evil.trap;
DROP POLICY trap ON kb_evil.keyword_segment;
ALTER TABLE kb_evil.keyword_segment NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
SET ROLE kb_regress_mallory;
ALTER TABLE kb_evil.keyword_segment RENAME TO segment0;
CREATE VIEW kb_evil.keyword_segment AS SELECT * FROM kb_evil.segment0 WHERE kb_evil.pwn(1) = 1;
RESET ROLE;
SELECT * FROM error_of($$SELECT count(*) FROM kb_search('kiwi', 'evil', 'keyword')$$);
SELECT title FROM kb_search('kiwi', mode => 'keyword');
SELECT knowledge_base FROM kb_rag.status;
DROP VIEW kb_evil.keyword_segment;
ALTER TABLE kb_evil.segment0 RENAME TO keyword_segment;
DROP FUNCTION kb_evil.pwn, kb_evil.fired;
DROP TABLE witness;

-- A policy runs as the role that it applies to. That happens when the role names the base, not in a search that names no
-- base.
SET ROLE kb_regress_mallory;
CREATE FUNCTION kb_evil.pwn() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'runs as %', current_user; RETURN true; END $$;
ALTER TABLE kb_evil.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY trap ON kb_evil.document USING (kb_evil.pwn());
SELECT kb_grant('evil', 'public', 'read');
SELECT kb_attach_agent('e0000000-0000-0000-0000-000000000001', 'evil');
RESET ROLE;
SELECT kb_grant('honest', 'public', 'read');
SET ROLE kb_regress_victim;
SELECT knowledge_base, title FROM kb_hybrid_search('kiwi');
SELECT knowledge_base, documents, note FROM kb_rag.status;
RESET ROLE;
SELECT kb_grant('evil', 'kb_regress_victim', 'read');
SET ROLE kb_regress_victim;
SELECT knowledge_base, title FROM kb_hybrid_search('kiwi');
SELECT count(*) FROM kb_search('kiwi', mode => 'keyword', agent_id => 'e0000000-0000-0000-0000-000000000001');
SELECT count(*) FROM match_knowledge_chunks('e0000000-0000-0000-0000-000000000001', kb_embed('kiwi', 'fake/test', 8), 5, -1);
SELECT knowledge_base FROM kb_rag.status;
SELECT name FROM kb_list();
SELECT title FROM kb_search('kiwi', 'evil', 'keyword', ranker => 'ts_rank');
RESET ROLE;
SELECT title FROM kb_search('kiwi', 'evil', 'keyword', ranker => 'ts_rank');
SELECT kb_revoke('honest', 'public', 'read');
SET ROLE kb_regress_mallory;
SELECT kb_revoke('evil', 'public', 'read');
SELECT kb_revoke('evil', 'kb_regress_victim', 'read');
DROP POLICY trap ON kb_evil.document;
ALTER TABLE kb_evil.document DISABLE ROW LEVEL SECURITY;
DROP FUNCTION kb_evil.pwn();
RESET ROLE;

-- An existing schema is not taken over: the base gets another.
SET ROLE kb_regress_mallory;
CREATE SCHEMA kb_waiting;
CREATE TABLE kb_waiting.document (content text);
RESET ROLE;
SELECT kb_create('waiting', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT schema ~ '^kb_waiting_[0-9a-z]+$' AS another FROM kb_list() WHERE name = 'waiting';
SELECT kb_add('waiting', 'confidential') IS NOT NULL AS added;
SELECT count(*) FROM kb_waiting.document;
SELECT kb_drop('waiting');
DROP SCHEMA kb_waiting CASCADE;

-- No role can add a base to another role's agent, or to the agent that a base's own id stands for.
\set agent '''c0000000-0000-0000-0000-000000000001'''
SELECT kb_attach_agent(:agent, 'honest');
SET ROLE kb_regress_mallory;
SELECT * FROM error_of(format($$SELECT kb_attach_agent(%L, 'evil')$$, :agent));
SELECT state, hint FROM error_of(format($$SELECT kb_attach_agent(%L, 'evil')$$, :'honest'));
SELECT kb_attach_agent('d0000000-0000-0000-0000-000000000001', 'evil');
RESET ROLE;
SELECT content FROM match_knowledge_chunks(:agent, kb_embed('kiwi', 'fake/test', 8), 5, -1);
-- A superuser can, and a base without its schema does not affect the agent.
SELECT kb_attach_agent(:agent, 'evil');
SELECT count(*) FROM match_knowledge_chunks(:agent, kb_embed('kiwi', 'fake/test', 8), 5, -1);

-- A schema created in place of a dropped one is not the base.
SELECT kb_create('squatted', model => 'fake/test') IS NOT NULL AS created;
DROP SCHEMA kb_squatted CASCADE;
SET ROLE kb_regress_mallory;
CREATE SCHEMA kb_squatted;
CREATE TABLE kb_squatted.document (LIKE kb_evil.document INCLUDING DEFAULTS);
SELECT state FROM error_of($$SELECT kb_attach_agent('d0000000-0000-0000-0000-000000000001', 'squatted')$$);
SELECT * FROM error_of($$SELECT kb_drop('squatted')$$);
RESET ROLE;
SELECT state, message FROM error_of($$SELECT kb_add('squatted', 'confidential')$$);
SELECT count(*) FROM kb_squatted.document;
SELECT kb_drop('squatted');
DROP SCHEMA kb_squatted CASCADE;

-- kb_add where a trigger discards the row, or writes another key.
CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER swallow BEFORE INSERT ON kb_honest.document FOR EACH ROW EXECUTE FUNCTION swallow();
SELECT * FROM error_of($$SELECT kb_add('honest', 'swallowed')$$);
DROP TRIGGER swallow ON kb_honest.document;
CREATE FUNCTION lower_key() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.source_key := lower(NEW.source_key); RETURN NEW; END';
CREATE TRIGGER lower_key BEFORE INSERT ON kb_honest.document FOR EACH ROW EXECUTE FUNCTION lower_key();
SELECT kb_add('honest', 'text', source_key => 'README.MD') = kb_add('honest', 'text', source_key => 'Readme.md') AS same;
DROP TRIGGER lower_key ON kb_honest.document;

-- More bases in use than cached plans: the running plan stays.
CREATE FUNCTION nest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 1..300 LOOP
        PERFORM count(*) FROM public.kb_search('text', 'honest', match_count => 100 + n);
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER nest AFTER INSERT ON kb_honest.document FOR EACH STATEMENT EXECUTE FUNCTION nest();
SELECT kb_add('honest', 'outer text one') IS NOT NULL AND kb_add('honest', 'outer text two') IS NOT NULL AS added;
DROP TRIGGER nest ON kb_honest.document;

-- A title of a megabyte is not embedded with every chunk, and is stored whole.
SELECT kb_add('honest', 'Short text about quinces.', title => (SELECT string_agg('word' || n, ' ') FROM generate_series(1, 100000) n), source_key => 'long title') IS NOT NULL AS added;
SELECT length(title) > 900000 AS whole FROM kb_honest.document WHERE source_key = 'long title';
SELECT left(content, 30) AS content FROM kb_search('quinces', 'honest', 'keyword');

-- A chunk that lost its vector gets it back when its document is written again.
DELETE FROM kb_honest.embedding e USING kb_honest.chunk c WHERE c.id = e.chunk_id AND c.content LIKE '%kiwi%';
UPDATE kb_honest.document SET content = content || ' It is green.' WHERE title = 'Kiwi';
UPDATE kb_honest.document SET content = 'A kiwi is a bird and a fruit.' WHERE title = 'Kiwi';
SELECT count(*) FROM kb_honest.embedding e JOIN kb_honest.chunk c ON c.id = e.chunk_id WHERE c.content LIKE '%kiwi%';

-- A zero vector written by hand comes last and hides no other result.
UPDATE kb_honest.embedding SET embedding = '[0,0,0,0,0,0,0,0]' WHERE chunk_id = (SELECT id FROM kb_honest.chunk WHERE content LIKE '%quinces%');
SELECT left(content, 30) AS content, similarity = -1 AS zero FROM kb_search('outer text', 'honest', 'semantic', 10) ORDER BY similarity LIMIT 1;

-- A vector fits one model only.
SELECT kb_create('another', model => 'fake/another', dimensions => 8) IS NOT NULL AS created;
SELECT kb_attach_agent(:agent, 'another');
SELECT state, message FROM error_of(format($$SELECT * FROM kb_hybrid_search('kiwi', agent_id => %L, query_embedding => kb_embed('kiwi', 'fake/test', 8))$$, :agent));
-- In semantic mode over several models, results are ordered by rank.
SELECT bool_and(score < 0.1) AS by_rank FROM kb_search('kiwi', mode => 'semantic', agent_id => :agent);

-- Hybrid search without the model uses keywords, with a warning; semantic search reports what is missing.
UPDATE kb_rag.knowledge_base SET model = 'local/gone' WHERE name = 'honest';
SELECT title, semantic_rank, keyword_rank FROM kb_hybrid_search('kiwi', 'honest');
SELECT state, message FROM error_of($$SELECT * FROM kb_search('kiwi', 'honest', 'semantic')$$);
UPDATE kb_rag.knowledge_base SET model = 'fake/test' WHERE name = 'honest';

-- Long values are truncated in messages.
SELECT state, length(message) < 600 AS short FROM error_of(format('SELECT * FROM kb_search(''x'', %L)', repeat('long ', 200000)));

-- Braces in a name are not placeholders.
SELECT kb_create('x{type}{vector}', model => 'fake/test', dimensions => 3) IS NOT NULL AS created;
SELECT obj_description(schema::regnamespace, 'pg_namespace') FROM kb_list() WHERE name LIKE 'x{%';

SELECT kb_drop(name) FROM kb_list();
DROP FUNCTION swallow, lower_key, nest, altered;
SELECT kb_revoke_admin('kb_regress_mallory');
SELECT format('REVOKE CREATE ON DATABASE %I FROM kb_regress_mallory', current_database()) \gexec
DROP ROLE kb_regress_mallory, kb_regress_victim;
