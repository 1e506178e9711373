-- kb_cluster_setup: nodes that know each other's bases.
\pset format unaligned
SET client_min_messages = warning;
SELECT * FROM kb_rag.cluster;
SELECT kb_create('first', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_create('second', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('first', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT * FROM error_of('SELECT kb_cluster_setup()');
\c - - :coordinator
SET client_min_messages = warning;
-- One name on two nodes: nothing is left behind.
SELECT * FROM error_of('SELECT kb_cluster_setup()');
SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_rag'::regnamespace AND relname IN ('handle', 'placement');
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_rename('first', 'third');
\c - - :coordinator
-- What a restored dump has: it means nothing.
SET citus.enable_ddl_propagation = off;
CREATE TABLE kb_rag.placement (name text, part int, knowledge_base_id uuid, groupid int);
INSERT INTO kb_rag.placement VALUES ('elsewhere', 0, 'a0000000-0000-0000-0000-000000000001', 1);
SELECT state, message FROM error_of($$SELECT kb_search('tea', 'elsewhere')$$);
RESET citus.enable_ddl_propagation;
SET client_min_messages = warning;
SELECT kb_cluster_setup();
SELECT name, part, groupid FROM kb_rag.placement ORDER BY name;
SELECT count(*) AS handles FROM kb_rag.handle;
SELECT groupid, count(*) >= 21 AS third FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) WHERE logicalrelid = 'kb_rag.handle'::regclass GROUP BY 1 ORDER BY 1;
SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend
WHERE objid IN ('kb_rag.handle'::regclass, 'kb_rag.placement'::regclass) AND deptype = 'e';
-- Again: nothing changes.
CREATE TEMP TABLE before AS SELECT oid, relname FROM pg_class WHERE relnamespace = 'kb_rag'::regnamespace AND relname IN ('handle', 'placement');
SELECT kb_cluster_setup();
SELECT relname, c.oid = before.oid AS same FROM before JOIN pg_class c USING (relname) ORDER BY 1;
SELECT count(*) FROM kb_rag.placement;
SELECT node = :'coordinator' || ':5432' AS here, version = (SELECT extversion FROM pg_extension WHERE extname = 'kb_rag') AS same_version, bases, chunks, bytes > 0 AS bytes, reachable, error
FROM kb_rag.cluster;
-- Only superusers; everybody sees the bases that it may read.
CREATE ROLE kb_citus_reader LOGIN;
GRANT EXECUTE ON FUNCTION kb_cluster_setup() TO kb_citus_reader;
SET ROLE kb_citus_reader;
SELECT * FROM error_of('SELECT kb_cluster_setup()');
SELECT bases, chunks, reachable FROM kb_rag.cluster;
RESET ROLE;
-- Bases that are made, renamed and dropped later, on any node. A name is taken in the whole cluster.
SELECT kb_create('fourth', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
BEGIN;
SELECT kb_create('undone', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
ROLLBACK;
SELECT * FROM error_of($$SELECT kb_create('second')$$);
SELECT * FROM error_of($$SELECT kb_rename('first', 'second')$$);
\c - - :worker_1
SET client_min_messages = warning;
SELECT * FROM error_of($$SELECT kb_create('fourth')$$);
SELECT kb_create('fifth', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_rename('third', 'last');
SELECT kb_drop('second');
SELECT name, groupid FROM kb_rag.placement ORDER BY name;
-- A base of another node.
SELECT * FROM error_of($$SELECT kb_expose('fourth')$$);
SELECT * FROM error_of($$SELECT kb_expose('nowhere')$$);
\c - - :coordinator
SET client_min_messages = warning;
SELECT name, groupid FROM kb_rag.placement ORDER BY name;
-- A base that a call made where no other node was told, and one that was lost: setup compares.
SELECT min(key) AS key FROM kb_rag.handle JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('kb_rag.handle', key)
JOIN pg_dist_node n USING (groupid) WHERE n.nodename = :'worker_1' \gset
SELECT kb_create('sixth', model => 'fake/test', dimensions => 8) IS NOT NULL AS created FROM kb_rag.handle WHERE key = :key;
INSERT INTO kb_rag.placement (name, knowledge_base_id, groupid) VALUES ('lost', 'a0000000-0000-0000-0000-000000000001', 0);
UPDATE kb_rag.placement SET groupid = 0 WHERE name = 'fifth';
SELECT lost, unregistered, prepared FROM kb_rag.cluster;
SELECT kb_cluster_setup();
SELECT lost, unregistered, prepared FROM kb_rag.cluster;
SELECT name, groupid FROM kb_rag.placement ORDER BY name;
-- A node without a handle gets one.
SELECT count(citus_move_shard_placement(shardid, (SELECT nodeid FROM pg_dist_node WHERE nodename = :'worker_1'), (SELECT nodeid FROM pg_dist_node WHERE groupid = 0), 'block_writes')) >= 21 AS moved
FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'kb_rag.handle'::regclass AND nodename = :'worker_1';
SELECT kb_cluster_setup();
SELECT count(*) FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'kb_rag.handle'::regclass AND nodename = :'worker_1';
SELECT kb_drop('first');
SELECT kb_drop('fourth');
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_drop(name) FROM kb_list() ORDER BY name;
\c - - :coordinator
SELECT * FROM kb_rag.placement;
SET client_min_messages = warning;
DROP TABLE kb_rag.handle, kb_rag.placement;
DROP OWNED BY kb_citus_reader;
DROP ROLE kb_citus_reader;
SELECT * FROM kb_rag.cluster;
