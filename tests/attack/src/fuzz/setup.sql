-- The objects that the fuzzer's calls find in their database. Run by a superuser; {database} and {url} are
-- filled in. The roles exist already.
GRANT CREATE ON DATABASE {database} TO attack_owner;
GRANT CREATE ON SCHEMA public TO attack_owner;
SELECT kb_grant_admin('attack_owner');
SELECT kb_provider_set('mock', kind => 'openai', base_url => '{url}', timeout => '2 s', batch_items => 10);
SELECT kb_provider_grant('mock', 'attack_owner');

CREATE DOMAIN a_domain AS text CHECK (value <> 'bad');
CREATE TYPE a_composite AS (a int, b text);
CREATE TABLE plain (id int PRIMARY KEY, body text, m jsonb, d a_domain, arr text[], dropped int);
ALTER TABLE plain DROP COLUMN dropped;
INSERT INTO plain VALUES (1, 'row one', '{}', 'x', '{a,b}');
CREATE TABLE partitioned (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
CREATE TABLE part_one PARTITION OF partitioned FOR VALUES FROM (0) TO (100);
INSERT INTO partitioned VALUES (1, 'part');
CREATE TABLE parent (id int PRIMARY KEY, body text);
CREATE TABLE child () INHERITS (parent);
CREATE VIEW a_view AS SELECT 1 AS id, 'x'::text AS body;
CREATE MATERIALIZED VIEW a_matview AS SELECT 1 AS id, 'x'::text AS body;
CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY, body text);
CREATE TABLE "we""ird Tab\le" (id text PRIMARY KEY, body text, "c'o""l" text);
INSERT INTO "we""ird Tab\le" VALUES (E'k\'"\\', 'b', 'c');
CREATE TABLE no_key (body text);
CREATE TABLE domains (id a_domain PRIMARY KEY, body a_domain);
INSERT INTO domains VALUES ('k', 'b');
CREATE TABLE generated (id int PRIMARY KEY, body text, g text GENERATED ALWAYS AS (body || 'x') STORED);
INSERT INTO generated VALUES (1, 'b');
CREATE TABLE two_keys (a int, b text, body text, PRIMARY KEY (a, b));
INSERT INTO two_keys VALUES (1, 'x', 'b');
CREATE INDEX an_index ON plain (body);
CREATE SEQUENCE a_sequence;
CREATE TABLE composite (id a_composite PRIMARY KEY, body a_composite, j json);
INSERT INTO composite VALUES (ROW(1, 'a'), ROW(2, 'b'), '{}');
CREATE TABLE import_vectors (page text, n int, body text, vec vector(8), m jsonb);
INSERT INTO import_vectors SELECT 'p' || i / 3, i, 'body ' || i, '[1,0,0,0,0,0,0,1]', '{}' FROM generate_series(1, 20) i;
CREATE TABLE import_arrays (page text, content text, embedding float4[]);
INSERT INTO import_arrays VALUES ('a', 'x', array_fill(1::float4, ARRAY[8])), ('b', 'y', array_fill('NaN'::float4, ARRAY[8])),
    ('c', 'z', '{}'), (NULL, NULL, NULL);
CREATE TABLE import_bare (content text, embedding vector);
INSERT INTO import_bare VALUES ('x', '[0,0,0]'), ('y', NULL);
DO $$
DECLARE
    name regclass;
BEGIN
    FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO attack_owner', name);
    END LOOP;
END $$;

-- Objects that shadow names looked up without a schema.
CREATE SCHEMA evil;
GRANT USAGE ON SCHEMA evil TO public;
CREATE TABLE evil.document (x int);
CREATE FUNCTION evil.lower(text) RETURNS text LANGUAGE sql AS $$SELECT 1 / 0 || ''$$;
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = pg_catalog.textne);

-- Schemas that look like knowledge bases.
CREATE SCHEMA kb_by_hand;
CREATE TABLE kb_by_hand.source (id uuid PRIMARY KEY);
CREATE TABLE kb_by_hand.document (id uuid PRIMARY KEY, content text);
CREATE TABLE kb_by_hand.chunk (id uuid PRIMARY KEY);
CREATE SCHEMA kb_half_made;
CREATE TABLE kb_half_made.source (id int);
CREATE TABLE kb_half_made.document (id int);
CREATE VIEW kb_half_made.chunk AS SELECT 1 AS id;
