-- kb_rename: another name for the same base.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE kb_test044_owner;
CREATE ROLE kb_test044_admin;
SELECT kb_grant_admin('kb_test044_owner');
SELECT kb_create('other', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SET ROLE kb_test044_owner;
SELECT kb_create('handbook', model => 'fake/test', dimensions => 8, description => 'of the staff', embed => 'queued') AS id \gset
RESET ROLE;
CREATE TABLE articles (id int PRIMARY KEY, body text);
ALTER TABLE articles OWNER TO kb_test044_owner;
SET ROLE kb_test044_owner;
SELECT kb_add('handbook', 'Expenses need a receipt.') IS NOT NULL AS added;
SELECT kb_attach('articles', 'handbook', 'body') IS NOT NULL AS attached;
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'handbook');
SELECT kb_grant('handbook', 'kb_test044_admin', 'admin');

-- For its owner.
SET ROLE kb_test044_admin;
SELECT state, message FROM error_of($$SELECT kb_rename('handbook', 'mine')$$);
SET ROLE kb_test044_owner;
SELECT state, message FROM error_of($$SELECT kb_rename('other', 'mine')$$);
SELECT * FROM error_of($$SELECT kb_rename('handbok', 'mine')$$);
-- As kb_create checks it.
SELECT * FROM error_of($$SELECT kb_rename('handbook', 'other')$$);
SELECT state, message FROM error_of($$SELECT kb_rename('handbook', 'handbook')$$);
SELECT state, message FROM error_of($$SELECT kb_rename('handbook', '  ')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_rename('handbook', repeat('x', 201))$$);
SELECT state, message FROM error_of($$SELECT kb_rename('handbook', NULL)$$);
SELECT state, message FROM error_of($$SELECT kb_rename(NULL, 'mine')$$);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT state FROM error_of($$SELECT kb_rename('handbook', 'mine')$$);
ROLLBACK;

SELECT kb_rename('handbook', 'Staff "Handbook"');
SELECT id = :'id' AS same, name, schema, description, obj_description('kb_handbook'::regnamespace, 'pg_namespace') AS comment FROM kb_list() WHERE name <> 'other';
SELECT state FROM error_of($$SELECT * FROM kb_search('receipt', 'handbook')$$);
-- All goes on: writes, workers, searches, agents, attached tables.
INSERT INTO articles VALUES (1, 'A receipt shows what was paid.');
CALL kb_work();
SELECT knowledge_base, content FROM kb_search('receipt', 'Staff "Handbook"') ORDER BY content;
SELECT DISTINCT knowledge_base FROM kb_search('receipt', agent_id => 'a0000000-0000-0000-0000-000000000001');
SELECT knowledge_base, documents, pending, embedded FROM kb_rag.status WHERE knowledge_base LIKE 'Staff%';
SELECT knowledge_base, location, documents FROM kb_rag.source_status;
SELECT DISTINCT obj_description(oid, 'pg_trigger') FROM pg_trigger WHERE tgrelid = 'articles'::regclass;
RESET ROLE;
SELECT name, value FROM kb_handbook.setting WHERE name IN ('id', 'name') AND value <> :'id';

-- The copy beside the tables is what kb_adopt reads.
BEGIN;
DELETE FROM kb_rag.knowledge_base WHERE name <> 'other';
SELECT kb_adopt('kb_handbook') = :'id' AS adopted;
SELECT name FROM kb_list() ORDER BY name;
ROLLBACK;

-- A comment of the user's own stays. The old name is free.
COMMENT ON SCHEMA kb_handbook IS 'read me';
SELECT kb_rename('Staff "Handbook"', 'staff');
SELECT obj_description('kb_handbook'::regnamespace, 'pg_namespace');
SELECT kb_create('handbook', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT name, regexp_replace(schema, '[0-9a-f]{12}$', '<id>') AS schema FROM kb_list() ORDER BY name;
-- Names that differ in case only.
SELECT kb_rename('staff', 'Handbook');
SELECT kb_rename('Handbook', 'HANDBOOKS');
SELECT kb_rename('HANDBOOKS', 'handbooks');
-- Rolled back.
BEGIN;
SELECT kb_rename('handbooks', 'gone');
ROLLBACK;
SELECT name FROM kb_list() ORDER BY name;

SELECT kb_drop(name) FROM kb_list();
DROP TABLE articles;
SELECT kb_revoke_admin('kb_test044_owner');
DROP ROLE kb_test044_owner, kb_test044_admin;
