-- A base whose tables Citus distributes: 55000 in every function, on every node, and the way back.
SET client_min_messages = warning;
SELECT kb_create(name) IS NOT NULL AS created FROM unnest('{far,near}'::text[]) name;
SELECT kb_add(base, 'Tea is hot.', source_key => 'tea') IS NOT NULL AS added FROM unnest('{far,near}'::text[]) base;
SELECT kb_add(base, 'Bread is warm.', source_key => 'bread') IS NOT NULL AS added FROM unnest('{far,near}'::text[]) base;
SELECT kb_question_add(base, 'is tea hot', '{tea}') IS NOT NULL AS added FROM unnest('{far,near}'::text[]) base;
SELECT kb_attach_agent(kb_agent('agt'), 'far', '{}');
CREATE ROLE kb_test_citus_far;
SELECT kb_grant('far', 'kb_test_citus_far', 'read');
CREATE TABLE answers AS SELECT q.query, s.* FROM unnest('{tea,is,warm bread}'::text[]) q (query), kb_search(q.query, 'far') s;
SELECT query, content FROM answers ORDER BY 1, score DESC;

-- Citus refuses while the base has its triggers.
SELECT state, message FROM error_of($$SELECT citus_schema_distribute('kb_far')$$);
SELECT state FROM error_of($$SELECT create_distributed_table('kb_far.document', 'id')$$);
SELECT state FROM error_of($$SELECT create_reference_table('kb_far.document')$$);
SELECT count(*) FROM kb_search('tea', 'far', 'keyword');
-- Without them, it does.
CREATE FUNCTION drop_triggers(schema text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE t record;
BEGIN
    FOR t IN SELECT tgname, tgrelid::regclass AS place FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = schema::regnamespace AND NOT tgisinternal LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, t.place);
    END LOOP;
END
$$;
SELECT drop_triggers('kb_far');
SELECT citus_schema_distribute('kb_far');
SELECT count(*) > 0 AS distributed FROM citus_tables WHERE table_name::text LIKE 'kb_far.%';
SELECT tgname ~ '^truncate_trigger_\d+$' AS is_of_citus, tgfoid::regproc FROM pg_trigger WHERE tgrelid = 'kb_far.document'::regclass AND tgfoid = 'pg_catalog.citus_truncate_trigger'::regproc;

CREATE VIEW call AS
SELECT function, replace(statement, 'BASE', base) AS statement, base
FROM (VALUES ('kb_add', $$SELECT kb_add('BASE', 'x')$$), ('kb_search', $$SELECT kb_search('tea', 'BASE')$$), ('keyword', $$SELECT kb_search('tea', 'BASE', 'keyword')$$),
    ('semantic', $$SELECT kb_search('tea', 'BASE', 'semantic')$$), ('kb_context', $$SELECT kb_context('tea', 'BASE')$$), ('kb_stats', $$SELECT kb_stats('BASE')$$),
    ('kb_configure', $$SELECT kb_configure('BASE', description => 'x')$$), ('kb_reindex', $$SELECT kb_reindex('BASE')$$), ('kb_reconcile', $$SELECT kb_reconcile('BASE')$$),
    ('kb_rename', $$SELECT kb_rename('BASE', 'other')$$), ('kb_expose', $$SELECT kb_expose('BASE')$$), ('kb_grant', $$SELECT kb_grant('BASE', 'kb_test_citus_far', 'write')$$),
    ('kb_browse', $$SELECT kb_browse('BASE')$$), ('kb_delete_where', $$SELECT kb_delete_where('BASE', '{}', true)$$), ('kb_evaluate', $$SELECT kb_evaluate('BASE')$$),
    ('kb_retry', $$SELECT kb_retry('BASE')$$), ('kb_estimate', $$SELECT kb_estimate('BASE')$$), ('kb_drop', $$SELECT kb_drop('BASE')$$),
    ('agent', $$SELECT kb_search('tea', agent_id => (SELECT id FROM kb_rag.knowledge_base WHERE name = 'BASE'))$$)) c (function, statement),
    unnest('{far,near}'::text[]) base;
CREATE FUNCTION tried(statement text, OUT state text, OUT message text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RAISE SQLSTATE 'KB000';
EXCEPTION
    WHEN SQLSTATE 'KB000' THEN state := '00000';
    WHEN OTHERS THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
END
$$;
SELECT base, t.state, t.message, count(*), string_agg(function, ' ' ORDER BY function) AS functions FROM call, tried(statement) t GROUP BY 1, 2, 3 ORDER BY 1;
SELECT * FROM error_of($$SELECT kb_search('tea', 'far')$$);
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_far')$$);
-- On the other nodes its tables are there, but no base.
\c - - :worker_1
SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_far'::regnamespace AND relname = 'document';
SELECT kb_adopt('kb_far');
\c - - :coordinator
SET client_min_messages = warning;
-- The triggers are made again by hand.
SELECT format('CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_far.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted(%L)', id) AS statement
FROM kb_rag.knowledge_base WHERE name = 'far' \gset
SET citus.enable_unsafe_triggers = on;
:statement;
SELECT base, t.state, t.message, count(*) FROM call, tried(statement) t GROUP BY 1, 2, 3 ORDER BY 1;
-- A search over all bases leaves it out.
RESET client_min_messages;
SELECT content FROM kb_search('tea', mode => 'keyword');
SET client_min_messages = warning;
DROP TRIGGER kb_rag_insert ON kb_far.document;

-- The way back.
\! "$BIN/pg_dump" -h "$COORDINATOR" -U postgres -n kb_far -f "$SCRATCH/far.sql" "$DATABASE"
DROP SCHEMA kb_far CASCADE;
SELECT * FROM schemas ORDER BY node;
\! PGOPTIONS='-c citus.enable_ddl_propagation=off -c citus.enable_schema_based_sharding=off -c client_min_messages=error' "$BIN/psql" -XqAt -h "$COORDINATOR" -U postgres -d "$DATABASE" -v ON_ERROR_STOP=1 -f "$SCRATCH/far.sql" >"$SCRATCH/restored" && echo restored
SELECT kb_adopt('kb_far') IS NOT NULL AS adopted;
SELECT kb_reconcile('far') >= 0 AS reconciled;
SELECT * FROM schemas ORDER BY node;
SELECT count(*) FROM citus_tables WHERE table_name::text LIKE 'kb_far.%';
-- All answers as before, its grants and agents too.
SELECT query, content FROM answers a WHERE NOT EXISTS (SELECT FROM kb_search(a.query, 'far') s WHERE s.chunk_id = a.chunk_id AND abs(s.score - a.score) < 1e-9);
SELECT count(*) FROM kb_search('tea', agent_id => kb_agent('agt'));
SET ROLE kb_test_citus_far;
SELECT content FROM kb_search('hot tea', 'far', match_count => 1);
RESET ROLE;
SELECT base, t.state, t.message, count(*) FROM call, tried(statement) t GROUP BY 1, 2, 3 ORDER BY 1;
SELECT kb_add('far', 'Water is cold.') IS NOT NULL AS added;
SELECT content FROM kb_search('cold water', 'far', match_count => 1);

-- Dropping instead: the schema first, then what the catalog has of the base.
SELECT drop_triggers('kb_near');
SELECT citus_schema_distribute('kb_near');
SELECT state, message FROM error_of($$SELECT kb_drop('near')$$);
DROP SCHEMA kb_near CASCADE;
SELECT state, message FROM error_of($$SELECT kb_search('tea', 'near')$$);
SELECT kb_drop('near');
SELECT kb_drop('far');
SELECT * FROM schemas ORDER BY node;
DROP TABLE answers;
DROP ROLE kb_test_citus_far;
