-- kb_cluster_setup on a server that stands alone. tests/citus has the rest.
SET client_min_messages = warning;
SELECT * FROM error_of('SELECT kb_cluster_setup()');
CREATE ROLE kb_test214_admin;
SELECT kb_grant_admin('kb_test214_admin');
SET ROLE kb_test214_admin;
SELECT * FROM error_of('SELECT kb_cluster_setup()');
SELECT * FROM kb_rag.cluster;
RESET ROLE;
GRANT EXECUTE ON FUNCTION kb_cluster_setup() TO kb_test214_admin;
SET ROLE kb_test214_admin;
SELECT * FROM error_of('SELECT kb_cluster_setup()');
RESET ROLE;
SELECT * FROM kb_rag.cluster;
-- The tables of a cluster, as a restore without Citus leaves them, mean nothing.
CREATE TABLE kb_rag.handle (key int PRIMARY KEY, touched int);
CREATE TABLE kb_rag.placement (name text, part int, knowledge_base_id uuid, groupid int);
INSERT INTO kb_rag.placement VALUES ('elsewhere', 0, 'a0000000-0000-0000-0000-000000000001', 1), ('here', 0, 'a0000000-0000-0000-0000-000000000002', 1);
SELECT state, message FROM error_of($$SELECT kb_search('tea', 'elsewhere')$$);
SELECT kb_create('here', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_rename('here', 'elsewhere');
SELECT kb_drop('elsewhere');
SELECT name, groupid FROM kb_rag.placement ORDER BY name;
SELECT * FROM kb_rag.cluster;
-- They are no part of the extension: a dump has them.
DROP TABLE kb_rag.handle, kb_rag.placement;
DROP OWNED BY kb_test214_admin;
DROP ROLE kb_test214_admin;
