-- Tables that Citus distributes or manages are not attached.
SET client_min_messages = warning;
SELECT kb_create('near') IS NOT NULL AS created;
CREATE TABLE distributed (id int PRIMARY KEY, body text NOT NULL);
CREATE TABLE reference (id int PRIMARY KEY, body text NOT NULL);
CREATE TABLE managed (id int PRIMARY KEY, body text NOT NULL);
CREATE TABLE plain (id int PRIMARY KEY, body text NOT NULL);
SELECT create_distributed_table('distributed', 'id');
SELECT create_reference_table('reference');
SELECT citus_add_local_table_to_metadata('managed');
SELECT name, e.* FROM unnest('{distributed,reference,managed,plain}'::text[]) name, error_of(format('SELECT kb_attach(%L, %L, %L)', name, 'near', 'body')) e;
-- The way that the hint gives.
SELECT undistribute_table(name::regclass) FROM unnest('{distributed,reference,managed}'::text[]) name;
SELECT name, e.state FROM unnest('{distributed,reference,managed}'::text[]) name, error_of(format('SELECT kb_attach(%L, %L, %L)', name, 'near', 'body')) e;
INSERT INTO distributed VALUES (1, 'Tea is hot.');
CALL kb_work();
SELECT content FROM kb_search('tea', 'near', 'keyword');
-- Citus distributes no table that is attached.
SELECT state, message FROM error_of($$SELECT create_distributed_table('distributed', 'id')$$);
SELECT state, message FROM error_of($$SELECT create_reference_table('plain')$$);
SELECT kb_drop('near');
DROP TABLE distributed, reference, managed, plain;
