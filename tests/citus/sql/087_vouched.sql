-- Names and agents are those of the cluster: a role cannot change them where Citus would let no node be asked.
\pset format unaligned
SET client_min_messages = warning;
SELECT kb_cluster_setup();
SELECT min(key) AS key FROM kb_rag.handle JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('kb_rag.handle', key)
JOIN pg_dist_node n USING (groupid) WHERE n.nodename = :'worker_1' \gset
CREATE ROLE kb_citus_maker LOGIN;
SELECT kb_grant_admin('kb_citus_maker');
SELECT kb_create('theirs', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_attach_agent(kb_agent('theirs'), 'theirs');
\c - kb_citus_maker :worker_1
SET client_min_messages = warning;
SELECT kb_create('mine', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('gone', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT state, message FROM error_of($$SELECT kb_create('theirs')$$);
SELECT state, message FROM error_of($$SELECT kb_rename('mine', 'theirs')$$);
SELECT state FROM error_of(format('SELECT kb_attach_agent(%L, %L)', kb_agent('theirs'), 'mine'));
SELECT kb_attach_agent(kb_agent('mine'), 'mine');
-- A session that looks as if Citus had opened it.
SET application_name = 'citus_internal gpid=10000000001';
SELECT state, message, hint FROM error_of($$SELECT kb_create('theirs', model => 'fake/test', dimensions => 8)$$);
SELECT state FROM error_of($$SELECT kb_create('free', model => 'fake/test', dimensions => 8)$$);
SELECT state FROM error_of($$SELECT kb_rename('mine', 'theirs')$$);
SELECT state FROM error_of($$SELECT kb_rename('mine', 'free')$$);
SELECT state FROM error_of($$SELECT kb_drop('gone')$$);
SELECT state FROM error_of(format('SELECT kb_attach_agent(%L, %L)', kb_agent('theirs'), 'mine'));
SELECT state FROM error_of(format('SELECT kb_attach_agent(%L, %L)', kb_agent('mine'), 'gone'));
SELECT state, message FROM error_of('SELECT kb_rag.vouch(pg_backend_pid(), true)');
SELECT state, message FROM error_of($$INSERT INTO kb_rag.placement (name, knowledge_base_id, groupid) VALUES ('free', gen_random_uuid(), 1)$$);
-- Calls that change neither names nor agents work as before.
SELECT kb_add('mine', 'Tea.') IS NOT NULL AS added;
RESET application_name;
-- The calls themselves go there, from any node.
\c - kb_citus_maker :coordinator
SET client_min_messages = warning;
SELECT state, message FROM error_of($$SELECT kb_rename('mine', 'theirs')$$);
SELECT kb_rename('mine', 'my own');
SELECT state, message FROM error_of(format('SELECT kb_attach_agent(%L, %L)', kb_agent('theirs'), 'my own'));
SELECT kb_attach_agent(kb_agent('of here'), 'my own');
SELECT kb_drop('gone');
BEGIN;
SELECT kb_add('my own', 'Coffee.') IS NOT NULL AS added;
SELECT kb_rename('my own', 'mine');
SELECT kb_attach_agent(kb_agent('second'), 'mine');
SELECT content FROM kb_search('coffee', 'mine', 'keyword');
COMMIT;
-- One that a role sends there itself does not, nor after one that went there in the same transaction.
SELECT state, message FROM error_of(format($$SELECT kb_rename('mine', 'free') FROM kb_rag.handle WHERE key = %s$$, :key));
BEGIN;
SELECT kb_rename('mine', 'my own');
SELECT state, message FROM error_of(format($$SELECT kb_rename('my own', 'free') FROM kb_rag.handle WHERE key = %s$$, :key));
COMMIT;
BEGIN;
SELECT state, message FROM error_of($$SELECT kb_rename('my own', 'theirs')$$);
SELECT state, message FROM error_of(format($$SELECT kb_rename('my own', 'free') FROM kb_rag.handle WHERE key = %s$$, :key));
COMMIT;
-- Code of the role that runs there while the call is vouched for: Citus names types and functions of pg_catalog without their schema.
\c - postgres :worker_1
SET client_min_messages = warning;
SET citus.enable_ddl_propagation = off;
CREATE SCHEMA own AUTHORIZATION kb_citus_maker;
SET ROLE kb_citus_maker;
SET citus.enable_ddl_propagation = off;
CREATE FUNCTION own.forge() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.kb_create('forged', model => 'fake/test', dimensions => 8);
    RETURN true;
END
$$;
CREATE DOMAIN own.text AS pg_catalog.text CHECK (own.forge());
CREATE DOMAIN own.uuid AS pg_catalog.uuid CHECK (own.forge());
CREATE FUNCTION own.pg_backend_pid() RETURNS int LANGUAGE sql AS 'SELECT 1';
RESET ROLE;
SET citus.enable_alter_role_set_propagation = off;
ALTER ROLE kb_citus_maker SET search_path = own, pg_catalog, public;
\c - kb_citus_maker :coordinator
SET client_min_messages = warning;
SELECT kb_rename('my own', 'mine');
SELECT kb_rename('mine', 'my own');
SELECT kb_attach_agent(kb_agent('third'), 'my own');
\c - kb_citus_maker :worker_1
SHOW search_path;
SET search_path = public;
SELECT count(*) AS forged FROM kb_list() WHERE name = 'forged';
\c - postgres :worker_1
SET client_min_messages = warning;
SET citus.enable_ddl_propagation = off;
SET citus.enable_alter_role_set_propagation = off;
ALTER ROLE kb_citus_maker RESET search_path;
DROP SCHEMA own CASCADE;
-- Code of a policy, which runs while a node counts what it has of a list.
\c - kb_citus_maker :coordinator
SET client_min_messages = warning;
SELECT kb_create('counted', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('counted', 'Tea.') IS NOT NULL AS added;
SET citus.enable_ddl_propagation = off;
CREATE FUNCTION kb_counted.forge() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.kb_create('mine', model => 'fake/test', dimensions => 8);
    RETURN true;
END
$$;
ALTER TABLE kb_counted.document ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY forge ON kb_counted.document USING (kb_counted.forge());
SELECT kb_rename('my own', 'mine');
SELECT state, message FROM error_of('SELECT count(*) FROM kb_stats()');
DROP POLICY forge ON kb_counted.document;
SELECT count(*) AS rows FROM kb_stats();
DROP FUNCTION kb_counted.forge();
SELECT kb_drop('counted');
SELECT kb_rename('mine', 'my own');
\c - postgres :coordinator
SET client_min_messages = warning;
SELECT name, groupid FROM kb_rag.placement ORDER BY name;
SELECT knowledge_base, agent_id = kb_agent('theirs') AS theirs FROM kb_agent_list() ORDER BY 1, 2;
SELECT lost, unregistered, prepared FROM kb_rag.cluster;
SELECT kb_drop('my own'), kb_drop('theirs');
SELECT kb_revoke_admin('kb_citus_maker');
DROP TABLE kb_rag.handle, kb_rag.placement;
DROP OWNED BY kb_citus_maker;
DROP ROLE kb_citus_maker;
