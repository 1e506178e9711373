-- kb_rag turns off Citus's propagation of what it makes (213_citus_settings_1.out, where Citus is loaded). Nothing is set where Citus is not
-- loaded, and what a user has set stays as it is.
SET client_min_messages = warning;
SELECT current_setting('citus.shard_count', true) IS NOT NULL AS citus;
CREATE TABLE seen (value text);
CREATE FUNCTION see() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.seen VALUES (coalesce(current_setting('citus.enable_ddl_propagation', true), 'none'));
END
$$;
CREATE EVENT TRIGGER see ON ddl_command_end EXECUTE FUNCTION see();
SELECT kb_create('one', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT value, count(*) > 10 AS many FROM seen GROUP BY 1;
TRUNCATE seen;
SET citus.enable_ddl_propagation = on;
SELECT kb_create('two', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT value, count(*) > 10 AS many FROM seen GROUP BY 1;
SHOW citus.enable_ddl_propagation;
