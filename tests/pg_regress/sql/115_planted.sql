-- Malicious objects in the search path are not used: operators, functions, types, casts and tables, even temporary ones,
-- whether the session, the database or the role has set the path.
SET client_min_messages = warning;
CREATE ROLE kb_test115_anybody;
CREATE SCHEMA planted;
CREATE FUNCTION plant(operator text, argument1 text, argument2 text, result text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE FUNCTION planted.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L', 'trap ' || operator, argument1, argument2, result,
        format('BEGIN RAISE EXCEPTION %L; END', 'planted: ' || operator));
    EXECUTE format('CREATE OPERATOR planted.%1$s (LEFTARG = %2$s, RIGHTARG = %3$s, FUNCTION = planted.%4$I)', operator, argument1, argument2,
        'trap ' || operator);
END
$$;
SELECT count(*) FROM (VALUES
    ('=', 'text', 'text', 'boolean'), ('<>', 'text', 'text', 'boolean'), ('~', 'text', 'text', 'boolean'), ('!~', 'text', 'text', 'boolean'),
    ('||', 'text', 'text', 'text'), ('=', 'uuid', 'uuid', 'boolean'), ('=', 'oid', 'oid', 'boolean'), ('=', 'name', 'name', 'boolean'),
    ('@@', 'tsvector', 'tsquery', 'boolean'), ('||', 'tsvector', 'tsvector', 'tsvector'), ('||', 'jsonb', 'jsonb', 'jsonb'),
    ('@>', 'jsonb', 'jsonb', 'boolean'), ('<=>', 'vector', 'vector', 'float8'), ('=', 'int', 'int', 'boolean'), ('+', 'float8', 'int', 'float8'),
    ('-', 'bigint', 'bigint', 'bigint'), ('<=', 'bigint', 'float8', 'boolean')) o (operator, argument1, argument2, result),
    plant(operator, argument1, argument2, result);
SELECT format('CREATE FUNCTION planted.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', name, arguments, result, format('BEGIN RAISE EXCEPTION %L; END', 'planted: ' || name))
FROM (VALUES ('left', 'text, int', 'text'), ('setweight', 'tsvector, "char"', 'tsvector'), ('count', '', 'bigint'), ('now', '', 'timestamptz'),
    ('octet_length', 'text', 'int'), ('length', 'text', 'int'), ('to_tsvector', 'regconfig, text', 'tsvector'), ('coalesce', 'int', 'int'),
    ('phraseto_tsquery', 'regconfig, text', 'tsquery'), ('unnest', 'uuid[]', 'uuid'), ('uuid_v7', '', 'uuid'),
    ('ts_rank', 'real[], tsvector, tsquery, int', 'real'), ('ts_rank_cd', 'real[], tsvector, tsquery, int', 'real'),
    ('format', 'text, text', 'text'), ('pg_table_size', 'regclass', 'bigint'), ('current_setting', 'text', 'text'),
    ('has_schema_privilege', 'name, oid, text', 'boolean'), ('has_table_privilege', 'oid, oid, text', 'boolean'), ('aclexplode', 'aclitem[]', 'int'),
    ('jsonb_strip_nulls', 'jsonb', 'jsonb'), ('hashtextextended', 'text, bigint', 'bigint')) f (name, arguments, result) \gexec
CREATE TYPE planted.regconfig AS ENUM ('planted');
CREATE TYPE planted.tsquery AS ENUM ('planted');
CREATE TYPE planted.uuid AS ENUM ('planted');
CREATE CAST (text AS planted.tsquery) WITH INOUT AS IMPLICIT;
CREATE CAST (text AS planted.regconfig) WITH INOUT AS IMPLICIT;
CREATE FUNCTION plant_tables(place text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{document,chunk,embedding,keyword_segment,keyword_run,source,knowledge_base,agent_knowledge_base,status,new_document,old_document,new_chunk,pg_class,pg_proc,pg_namespace,pg_ts_config,pg_extension}'::text[] LOOP
        EXECUTE pg_catalog.format('CREATE TABLE %s.%I AS SELECT ''planted'' AS planted', place, name);
    END LOOP;
END
$$;
SELECT plant_tables('planted');
GRANT USAGE ON SCHEMA planted TO PUBLIC;

-- Every function, with each of its code paths. The statements of this function itself are qualified.
CREATE FUNCTION everything(base text) RETURNS TABLE (step text, result text) LANGUAGE plpgsql AS $$
DECLARE
    agent CONSTANT pg_catalog.uuid := 'f0000000-0000-0000-0000-000000000001';
    ranker text;
BEGIN
    step := 'create'; result := (public.kb_create(base, model => 'fake/test', dimensions => 8) IS NOT NULL)::pg_catalog.bool; RETURN NEXT;
    step := 'add'; result := (public.kb_add(base, 'A plain kiwi.', title => 'Plain', source_key => 'a/b.md', metadata => '{"a": 1}') IS NOT NULL)::pg_catalog.bool; RETURN NEXT;
    step := 'again'; result := (public.kb_add(base, 'A plain kiwi indeed.', title => 'Plain', source_key => 'a/b.md', metadata => '{"a": 1}') IS NOT NULL)::pg_catalog.bool; RETURN NEXT;
    EXECUTE pg_catalog.format('INSERT INTO kb_%s.document (content) VALUES ($1)'::pg_catalog.text, VARIADIC ARRAY[base]) USING 'Directly a banana.'::pg_catalog.text;
    EXECUTE pg_catalog.format('UPDATE kb_%s.document SET metadata = $1 WHERE title IS NOT NULL'::pg_catalog.text, VARIADIC ARRAY[base]) USING '{"a": 2}'::pg_catalog.jsonb;
    EXECUTE pg_catalog.format('UPDATE kb_%s.document SET language = $1 WHERE title IS NOT NULL'::pg_catalog.text, VARIADIC ARRAY[base]) USING 'de'::pg_catalog.text;
    step := 'hybrid'; FOR result IN SELECT content FROM public.kb_hybrid_search('kiwi "plain kiwi" -banana', base, filter => '{"a": 2}', syntax => 'web') LOOP RETURN NEXT; END LOOP;
    step := 'semantic'; FOR result IN SELECT content FROM public.kb_search('kiwi', base, 'semantic', 1) LOOP RETURN NEXT; END LOOP;
    FOREACH ranker IN ARRAY '{bm25,ts_rank,ts_rank_cd}'::pg_catalog.text[] LOOP
        step := ranker; FOR result IN SELECT content FROM public.kb_search('kiwi', base, 'keyword', ranker => ranker, fusion => 'relative', max_per_document => 1) LOOP RETURN NEXT; END LOOP;
    END LOOP;
    PERFORM public.kb_attach_agent(agent, base);
    step := 'match'; FOR result IN SELECT content FROM public.match_knowledge_chunks(agent, public.kb_embed('A plain kiwi.', 'fake/test', 8), 1, -1) LOOP RETURN NEXT; END LOOP;
    PERFORM public.kb_detach_agent(agent, base);
    step := 'status'; FOR result IN SELECT chunks FROM kb_rag.status WHERE knowledge_base OPERATOR(pg_catalog.=) base LOOP RETURN NEXT; END LOOP;
    step := 'list'; FOR result IN SELECT schema FROM public.kb_list() WHERE name OPERATOR(pg_catalog.=) base LOOP RETURN NEXT; END LOOP;
    step := 'chunk'; FOR result IN SELECT content FROM public.kb_chunk('One. Two.') LOOP RETURN NEXT; END LOOP;
    PERFORM public.kb_grant(base, 'public', 'admin'), public.kb_revoke(base, 'public', 'read');
    PERFORM public.kb_grant_admin('kb_test115_anybody'), public.kb_revoke_admin('kb_test115_anybody');
    EXECUTE pg_catalog.format('TRUNCATE kb_%s.source CASCADE'::pg_catalog.text, VARIADIC ARRAY[base]);
    PERFORM public.kb_drop(base);
END
$$;
-- The traps exist and work.
SET search_path = planted, pg_temp, pg_catalog, public;
SELECT state, message FROM public.error_of('SELECT 1 = 1');
SELECT * FROM public.everything('path');
SET search_path = pg_temp;
SELECT public.plant_tables('pg_temp');
SET search_path = pg_temp, planted, pg_catalog;
SELECT * FROM public.everything('temp');
RESET search_path;
SELECT format('ALTER DATABASE %I SET search_path = pg_temp, planted, pg_catalog, public', current_database()) \gexec
\c -
SET client_min_messages = warning;
SHOW search_path;
SELECT public.plant_tables('pg_temp');
SELECT * FROM public.everything('database');
SELECT pg_catalog.format('ALTER DATABASE %I RESET search_path'::pg_catalog.text, VARIADIC ARRAY[pg_catalog.current_database()::pg_catalog.text]) \gexec
SELECT pg_catalog.format('ALTER ROLE CURRENT_USER IN DATABASE %I SET search_path = pg_temp, planted, pg_catalog, public'::pg_catalog.text, VARIADIC ARRAY[pg_catalog.current_database()::pg_catalog.text]) \gexec
\c -
SET client_min_messages = warning;
SHOW search_path;
SELECT public.plant_tables('pg_temp');
SELECT * FROM public.everything('role');
SELECT pg_catalog.format('ALTER ROLE CURRENT_USER IN DATABASE %I RESET search_path'::pg_catalog.text, VARIADIC ARRAY[pg_catalog.current_database()::pg_catalog.text]) \gexec
\c -
SET client_min_messages = warning;
DROP FUNCTION everything, plant, plant_tables;
DROP SCHEMA planted CASCADE;
DROP ROLE kb_test115_anybody;
