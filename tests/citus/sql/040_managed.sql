-- Citus also takes over local tables that a foreign key connects with one of its own, without being asked.
SET client_min_messages = warning;
SELECT kb_create('near') IS NOT NULL AS created;
SELECT kb_add('near', 'Tea is hot.', source_key => 'tea') IS NOT NULL AS added;
CREATE TABLE marks (document_id uuid PRIMARY KEY REFERENCES kb_near.document (id));
SELECT create_reference_table('marks');
SELECT table_name, citus_table_type FROM citus_tables ORDER BY table_name::text;
SELECT state, message FROM error_of($$SELECT kb_search('tea', 'near')$$);
SELECT state, message FROM error_of($$SELECT kb_add('near', 'x')$$);
SELECT state, message FROM error_of($$INSERT INTO kb_near.document (content) VALUES ('x')$$);
SELECT content FROM kb_near.document;
SELECT state, message FROM error_of($$SELECT kb_drop('near')$$);
SELECT state, message FROM error_of($$SELECT undistribute_table('marks', cascade_via_foreign_keys => true)$$);
SELECT state, message FROM error_of($$ALTER TABLE marks DROP CONSTRAINT marks_document_id_fkey$$);
SELECT state, message FROM error_of($$SELECT kb_search('tea', 'near')$$);
-- The way back. The triggers are in the dump. With propagation, Citus makes the schema on all nodes, where it stays.
\! "$BIN/pg_dump" -h "$COORDINATOR" -U postgres -n kb_near -f "$SCRATCH/near.sql" "$DATABASE"
DROP SCHEMA kb_near CASCADE;
\! PGOPTIONS='-c client_min_messages=error' "$BIN/psql" -XqAt -h "$COORDINATOR" -U postgres -d "$DATABASE" -v ON_ERROR_STOP=1 -f "$SCRATCH/near.sql" >"$SCRATCH/restored" && echo restored
SELECT * FROM schemas ORDER BY node;
SELECT state, message FROM error_of($$SELECT kb_adopt('kb_near')$$);
SELECT content FROM kb_search('tea', 'near');
SELECT * FROM citus_schemas_of_bases;
SELECT kb_drop('near');
SELECT * FROM schemas ORDER BY node;
SELECT * FROM citus_schemas_of_bases;
CREATE SCHEMA IF NOT EXISTS kb_near;
DROP SCHEMA kb_near;
SELECT * FROM schemas ORDER BY node;
DROP TABLE marks;
