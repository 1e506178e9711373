-- Citus ships calls to the node of a row: bases are made, filled, searched and dropped there.
SET client_min_messages = warning;
CREATE TABLE handle (key int PRIMARY KEY);
SELECT create_distributed_table('handle', 'key', shard_count => 6);
INSERT INTO handle SELECT generate_series(1, 64);
SELECT min(key) AS key FROM handle JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('handle', key)
JOIN pg_dist_node n USING (groupid) WHERE n.nodename = :'worker_1' \gset
SELECT kb_create('there') IS NOT NULL AS created FROM handle WHERE key = :key;
BEGIN;
SELECT kb_create('undone') IS NOT NULL AS created FROM handle WHERE key = :key;
ROLLBACK;
SELECT kb_add('there', 'Tea is hot.') IS NOT NULL AS added FROM handle WHERE key = :key;
SELECT kb_configure('there', chunk_size => 500) IS NOT NULL AS configured FROM handle WHERE key = :key;
SELECT kb_reindex('there') FROM handle WHERE key = :key;
SELECT s.content FROM handle, LATERAL kb_search('tea', 'there', 'keyword') s WHERE key = :key;
SELECT state FROM error_of($$SELECT kb_search('tea', 'there')$$);
SELECT * FROM schemas ORDER BY node, result;
SELECT * FROM citus_schemas_of_bases;
SELECT kb_drop('there') FROM handle WHERE key = :key;
SELECT * FROM schemas ORDER BY node, result;
-- Called on a worker, there and on the coordinator.
SELECT min(key) AS key FROM handle JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('handle', key)
JOIN pg_dist_node n USING (groupid) WHERE n.groupid = 0 \gset
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_create('here') IS NOT NULL AS created;
SELECT kb_create('away') IS NOT NULL AS created FROM handle WHERE key = :key;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kb\_%' AND nspname <> 'kb_rag';
\c - - :coordinator
SET client_min_messages = warning;
SELECT * FROM schemas ORDER BY node, result;
\c - - :worker_1
SELECT kb_drop('here');
SELECT kb_drop('away') FROM handle WHERE key = :key;
\c - - :coordinator
SET client_min_messages = warning;
SELECT * FROM schemas ORDER BY node, result;
DROP TABLE handle;
