-- An old pgvector is named, with what is wrong with it.
\set VERBOSITY default
SET client_min_messages = warning;
SELECT kb_create('first', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('second', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
-- As other versions of the files leave it.
CREATE PROCEDURE make_pgvector(version text) LANGUAGE sql AS $$UPDATE pg_extension SET extversion = version WHERE extname = 'vector'$$;
CALL make_pgvector('0.8.1');
SELECT knowledge_base, pgvector FROM kb_rag.status ORDER BY knowledge_base;
CALL make_pgvector('0.8.2');
SELECT DISTINCT pgvector FROM kb_rag.status;
-- A role that may only read sees it, too.
CREATE ROLE kb_test214_reader;
SELECT kb_grant('first', 'kb_test214_reader', 'read');
SET ROLE kb_test214_reader;
SELECT knowledge_base, pgvector FROM kb_rag.status ORDER BY knowledge_base;
RESET ROLE;
DROP OWNED BY kb_test214_reader;
DROP ROLE kb_test214_reader;
-- Once, when the extension is created.
DROP EXTENSION kb_rag CASCADE;
CALL make_pgvector('0.8.1');
CREATE EXTENSION kb_rag;
DROP EXTENSION kb_rag;
CALL make_pgvector('0.8.10');
CREATE EXTENSION kb_rag;
DROP EXTENSION kb_rag;
CALL make_pgvector('0.9');
CREATE EXTENSION kb_rag;
SELECT kb_adopt('kb_first') IS NOT NULL AS adopted;
SELECT DISTINCT pgvector FROM kb_rag.status;
