-- What a call queues on another node is embedded there, though nobody calls a function there: its transaction is prepared.
\pset format unaligned
\c - - :worker_1
SET client_min_messages = warning;
ALTER SYSTEM SET kb_rag.workers = 2;
SELECT pg_reload_conf();
SELECT kb_create('queued', model => 'fake/test', dimensions => 8, embed => 'queued') IS NOT NULL AS created;
SET citus.enable_ddl_propagation = off;
SET citus.enable_metadata_sync = off;
\getenv database DATABASE
-- They wait without a call of kb_rag.
CREATE FUNCTION embedded(wanted int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. 300 LOOP
        IF (SELECT count(*) FROM kb_queued.embedding) = wanted THEN RETURN true; END IF;
        PERFORM pg_sleep(0.1);
    END LOOP;
    RETURN false;
END
$$;
CREATE FUNCTION workers(wanted boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. 300 LOOP
        PERFORM pg_stat_clear_snapshot();
        IF EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'kb_rag worker' AND datname = current_database()) = wanted THEN RETURN true; END IF;
        PERFORM pg_sleep(0.1);
    END LOOP;
    RETURN false;
END
$$;
SELECT workers(false);
\c - - :coordinator
SET client_min_messages = warning;
SELECT kb_cluster_setup();
SELECT kb_add('queued', 'Tea.') IS NOT NULL AS added;
\c - - :worker_1
SELECT embedded(1);
SELECT workers(false);
-- A transaction that is committed later, by another session: the worker stays longer than it does without work.
SET client_min_messages = warning;
BEGIN;
SELECT kb_add('queued', 'Coffee.') IS NOT NULL AS added;
PREPARE TRANSACTION 'later';
\c - - :worker_1
SELECT workers(true);
-- That long lives a worker that starts later, in another database.
\c postgres - :worker_1
SET client_min_messages = warning;
CREATE EXTENSION kb_rag CASCADE;
SELECT kb_create('other', model => 'fake/test', dimensions => 8, embed => 'queued') IS NOT NULL AS created;
SELECT kb_add('other', 'Tea.') IS NOT NULL AS added;
DO $$
BEGIN
    FOR i IN 1 .. 600 LOOP
        PERFORM pg_stat_clear_snapshot();
        EXIT WHEN EXISTS (SELECT FROM kb_other.embedding)
            AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'kb_rag worker' AND datname = current_database());
        PERFORM pg_sleep(0.1);
    END LOOP;
END
$$;
SELECT count(*) AS vectors FROM kb_other.embedding;
SELECT datname = :'database' AS stays FROM pg_stat_activity WHERE backend_type = 'kb_rag worker';
DROP EXTENSION kb_rag CASCADE;
DROP SCHEMA kb_other CASCADE;
DROP EXTENSION vector;
\c :database - :worker_1
COMMIT PREPARED 'later';
SELECT embedded(2);
SELECT workers(false);
-- It does not stay for long.
ALTER SYSTEM SET kb_rag.test_limits = 'patience=1500';
SELECT pg_reload_conf();
\c - - :worker_1
SET client_min_messages = warning;
BEGIN;
SELECT kb_add('queued', 'Water.') IS NOT NULL AS added;
PREPARE TRANSACTION 'never';
\c - - :worker_1
SELECT workers(true), workers(false);
SELECT count(*) FROM pg_prepared_xacts WHERE gid = 'never';
ROLLBACK PREPARED 'never';
ALTER SYSTEM SET kb_rag.workers = 0;
ALTER SYSTEM RESET kb_rag.test_limits;
SELECT pg_reload_conf();
SET citus.enable_ddl_propagation = off;
SET citus.enable_metadata_sync = off;
DROP FUNCTION embedded, workers;
\c - - :worker_1
SET client_min_messages = warning;
SELECT kb_drop('queued');
\c - - :coordinator
SET client_min_messages = warning;
DROP TABLE kb_rag.handle, kb_rag.placement;
