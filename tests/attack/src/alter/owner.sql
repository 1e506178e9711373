-- What the owner of a base can do to its tables, one alteration per paragraph. {S} is the schema of the base,
-- {B} its name, {A} its attached table. A paragraph is repeated for each {table} of the base and each
-- {column} of it; {hostile} is a value of its type. The segments of the template are small: to have rows in keyword_run,
-- some paragraphs first move their only row there, which changes nothing.

ALTER TABLE {S}.{table} DROP COLUMN {column} CASCADE

ALTER TABLE {S}.{table} RENAME COLUMN {column} TO zz

ALTER TABLE {S}.{table} ALTER {column} TYPE text USING {column}::text

ALTER TABLE {S}.{table} ALTER {column} DROP NOT NULL; UPDATE {S}.{table} SET {column} = NULL

ALTER TABLE {S}.{table} DISABLE TRIGGER USER; UPDATE {S}.{table} SET {column} = {hostile}; ALTER TABLE {S}.{table} ENABLE TRIGGER USER

UPDATE {S}.{table} SET {column} = {hostile}

INSERT INTO {S}.{table} ({column}) VALUES ({hostile})

ALTER TABLE {S}.{table} ALTER {column} SET DEFAULT {hostile}

DROP TABLE {S}.{table} CASCADE

ALTER TABLE {S}.{table} RENAME TO zz

ALTER TABLE {S}.{table} RENAME TO zz; CREATE VIEW {S}.{table} AS TABLE {S}.zz

DROP TABLE {S}.{table} CASCADE; CREATE VIEW {S}.{table} AS SELECT 1 AS id

DROP TABLE {S}.{table} CASCADE; CREATE MATERIALIZED VIEW {S}.{table} AS SELECT 1 AS id

DROP TABLE {S}.{table} CASCADE; CREATE TABLE {S}.{table} ()

DROP TABLE {S}.{table} CASCADE; CREATE SEQUENCE {S}.{table}

DROP TABLE {S}.{table} CASCADE; CREATE TYPE {S}.{table} AS (id int)

ALTER TABLE {S}.{table} RENAME TO zz; CREATE TABLE {S}.{table} (LIKE {S}.zz INCLUDING ALL)

ALTER TABLE {S}.{table} RENAME TO zz; CREATE TABLE {S}.{table} (LIKE {S}.zz) PARTITION BY LIST (tableoid)

ALTER TABLE {S}.{table} SET UNLOGGED

ALTER TABLE {S}.{table} ADD COLUMN extra int NOT NULL DEFAULT 5

ALTER TABLE {S}.{table} ADD COLUMN extra int NOT NULL DEFAULT 5 CHECK (extra < 0) NOT VALID

ALTER TABLE {S}.{table} DISABLE TRIGGER USER

ALTER TABLE {S}.{table} ENABLE ROW LEVEL SECURITY; ALTER TABLE {S}.{table} FORCE ROW LEVEL SECURITY

ALTER TABLE {S}.{table} ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON {S}.{table} USING (1 / (random() * 0)::int = 0); ALTER TABLE {S}.{table} FORCE ROW LEVEL SECURITY

CREATE TABLE public.child () INHERITS ({S}.{table}); INSERT INTO public.child DEFAULT VALUES

CREATE TABLE public.child () INHERITS ({S}.{table}); INSERT INTO public.child TABLE {S}.{table}

CREATE RULE r AS ON INSERT TO {S}.{table} DO INSTEAD NOTHING

CREATE RULE r AS ON UPDATE TO {S}.{table} DO INSTEAD NOTHING

CREATE RULE r AS ON DELETE TO {S}.{table} DO INSTEAD NOTHING

CREATE RULE r AS ON INSERT TO {S}.{table} DO ALSO DELETE FROM {S}.{table}

ALTER TABLE {S}.{table} ADD CONSTRAINT c CHECK (false) NOT VALID

TRUNCATE {S}.{table} CASCADE

REVOKE ALL ON {S}.{table} FROM attack_owner

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$; CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON {S}.{table} FOR EACH ROW EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'thrown' USING ERRCODE = '57014'; END$$; CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON {S}.{table} FOR EACH ROW EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'thrown' USING ERRCODE = '40001'; END$$; CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON {S}.{table} FOR EACH ROW EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'thrown' USING ERRCODE = '55P03'; END$$; CREATE TRIGGER a AFTER INSERT ON {S}.{table} FOR EACH ROW EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'thrown' USING ERRCODE = 'P0001'; END$$; CREATE TRIGGER a AFTER INSERT ON {S}.{table} FOR EACH ROW EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN DELETE FROM {S}.{table}; RETURN NULL; END$$; CREATE TRIGGER a AFTER INSERT ON {S}.{table} FOR EACH ROW EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN DELETE FROM {S}.{table}; RETURN NULL; END$$; CREATE TRIGGER z AFTER INSERT OR UPDATE ON {S}.{table} FOR EACH STATEMENT EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF pg_trigger_depth() < 5 THEN UPDATE {S}.{table} SET {column} = {column}; END IF; RETURN NULL; END$$; CREATE TRIGGER z AFTER INSERT OR UPDATE ON {S}.{table} FOR EACH STATEMENT EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.{column} := {hostile}; RETURN NEW; END$$; CREATE TRIGGER a BEFORE INSERT OR UPDATE ON {S}.{table} FOR EACH ROW EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(3600); RETURN NEW; END$$; CREATE TRIGGER a BEFORE INSERT ON {S}.{table} FOR EACH ROW EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN DROP TABLE {S}.{table} CASCADE; RETURN NULL; END$$; CREATE TRIGGER a AFTER INSERT ON {S}.{table} FOR EACH STATEMENT EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN $1; END$$; CREATE INDEX slow ON {S}.{table} ((public.f(5))) WHERE public.f(1) = 1; CREATE OR REPLACE FUNCTION public.f(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(3600); RETURN $1; END$$

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM kb_reconcile('{B}'); PERFORM kb_add('{B}', 'from a trigger'); RETURN NULL; END$$; CREATE TRIGGER z AFTER INSERT ON {S}.{table} FOR EACH STATEMENT WHEN (pg_trigger_depth() < 5) EXECUTE FUNCTION public.f()

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM kb_drop('{B}'); RETURN NULL; END$$; CREATE TRIGGER z AFTER INSERT ON {S}.{table} FOR EACH STATEMENT EXECUTE FUNCTION public.f()

ALTER TABLE {S}.document ALTER content TYPE varchar

ALTER TABLE {S}.document ALTER title TYPE name USING title::name

ALTER TABLE {S}.document DROP CONSTRAINT document_metadata_check; ALTER TABLE {S}.document ALTER metadata DROP DEFAULT; ALTER TABLE {S}.document ALTER metadata TYPE json USING metadata::json

ALTER TABLE {S}.document DROP COLUMN title; ALTER TABLE {S}.document ADD title text GENERATED ALWAYS AS (upper(content)) STORED

ALTER TABLE {S}.embedding ALTER embedding TYPE vector(3) USING '[1,2,3]'::vector(3)

ALTER TABLE {S}.embedding ALTER embedding TYPE vector USING embedding::vector

ALTER TABLE {S}.embedding ALTER embedding TYPE vector USING embedding::vector; UPDATE {S}.embedding SET embedding = '[1]'

ALTER TABLE {S}.embedding ALTER embedding TYPE halfvec(8) USING embedding::halfvec(8)

ALTER TABLE {S}.embedding ALTER embedding TYPE sparsevec(8) USING embedding::sparsevec(8)

ALTER TABLE {S}.embedding ALTER embedding TYPE float4[] USING embedding::float4[]; UPDATE {S}.embedding SET embedding = '{NaN,NULL}'

UPDATE {S}.chunk SET length = 2147483647

UPDATE {S}.chunk SET length = -2147483648

UPDATE {S}.chunk SET tsv = (SELECT string_agg('w' || i || ':' || i || 'A', ' ')::tsvector FROM generate_series(1, 16000) i)

UPDATE {S}.chunk SET start_char = -1, end_char = -100

ALTER TABLE {S}.document DISABLE TRIGGER USER; DELETE FROM {S}.document

ALTER TABLE {S}.document DISABLE TRIGGER USER; UPDATE {S}.document SET content = content || ' changed', title = NULL; ALTER TABLE {S}.document ENABLE TRIGGER USER

ALTER TABLE {S}.chunk DROP CONSTRAINT chunk_document_id_fkey; ALTER TABLE {S}.embedding DROP CONSTRAINT embedding_chunk_id_fkey; UPDATE {S}.embedding SET chunk_id = gen_random_uuid(); UPDATE {S}.chunk SET document_id = gen_random_uuid()

ALTER TABLE {S}.chunk DROP CONSTRAINT chunk_pkey CASCADE; INSERT INTO {S}.chunk (id, document_id, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) SELECT id, document_id, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash FROM {S}.chunk

ALTER TABLE {S}.chunk DROP CONSTRAINT chunk_pkey CASCADE; DROP INDEX {S}.chunk_keyword_number; CREATE INDEX chunk_keyword_number ON {S}.chunk (keyword_number); INSERT INTO {S}.chunk TABLE {S}.chunk

ALTER TABLE {S}.embedding DROP CONSTRAINT embedding_pkey; INSERT INTO {S}.embedding TABLE {S}.embedding

ALTER TABLE {S}.document DROP CONSTRAINT document_pkey CASCADE; INSERT INTO {S}.document TABLE {S}.document

UPDATE {S}.keyword_segment SET chunks = -5, length = -100

UPDATE {S}.keyword_segment SET chunks = 2147483647, length = 9223372036854775807, runs = 2147483647

UPDATE {S}.keyword_segment SET sign = -sign

UPDATE {S}.keyword_segment SET sign = 0, tier = 7, first = last, version = 2

UPDATE {S}.keyword_segment SET configs = '[1, {"a": "b"}]'

UPDATE {S}.keyword_segment SET configs = '{"no.such": 9223372036854775807, "": -5, "x": 1e400}'

UPDATE {S}.keyword_segment SET data = substr(data, 1, length(data) / 2)

UPDATE {S}.keyword_segment SET data = set_byte(data, length(data) / 3, 255)

UPDATE {S}.keyword_segment SET data = NULL, runs = 1

INSERT INTO {S}.keyword_segment (tier, sign, chunks, length, configs, first, last, runs, version, data) SELECT tier, sign, chunks, length, configs, first, last, runs, version, data FROM {S}.keyword_segment

DELETE FROM {S}.keyword_segment

INSERT INTO {S}.keyword_run SELECT id, '', 0, '\x00' FROM {S}.keyword_segment ON CONFLICT DO NOTHING

INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = 1 WHERE data IS NOT NULL

INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = 1000 WHERE data IS NOT NULL

INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = 1 WHERE data IS NOT NULL; UPDATE {S}.keyword_run SET data = decode(reverse(encode(data, 'hex')), 'hex')

INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = 1000 WHERE data IS NOT NULL; UPDATE {S}.keyword_run SET data = substr(data, 1, length(data) / 2)

INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = 1000, chunks = 2147483647 WHERE data IS NOT NULL

INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = 1000 WHERE data IS NOT NULL; UPDATE {S}.keyword_run SET lexeme = 'number', ordinal = 9223372036854775807

INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = -1 WHERE data IS NOT NULL; INSERT INTO {S}.keyword_run SELECT segment, 'number', n, data FROM {S}.keyword_run, generate_series(-2, 2) n

INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = 1 WHERE data IS NOT NULL; DELETE FROM {S}.keyword_run

UPDATE {S}.chunk SET keyword_number = DEFAULT

UPDATE {S}.chunk SET keyword_number = -keyword_number

ALTER TABLE {S}.keyword_segment DROP CONSTRAINT keyword_segment_pkey

ALTER TABLE {S}.keyword_segment DROP CONSTRAINT keyword_segment_pkey; CREATE INDEX ON {S}.keyword_segment (id); INSERT INTO {S}.keyword_segment OVERRIDING SYSTEM VALUE TABLE {S}.keyword_segment

ALTER TABLE {S}.keyword_run DROP CONSTRAINT keyword_run_pkey

ALTER TABLE {S}.keyword_run DROP CONSTRAINT keyword_run_pkey; CREATE INDEX ON {S}.keyword_run (segment, lexeme, ordinal); INSERT INTO {S}.keyword_run SELECT id, '', 0, data FROM {S}.keyword_segment, generate_series(1, 2) WHERE data IS NOT NULL; UPDATE {S}.keyword_segment SET data = NULL, runs = 2 WHERE data IS NOT NULL

ALTER TABLE {S}.keyword_run ALTER data TYPE text USING encode(data, 'base64')

ALTER TABLE {S}.keyword_segment ALTER id DROP IDENTITY

ALTER TABLE {S}.chunk ALTER keyword_number DROP IDENTITY

ALTER SEQUENCE {S}.keyword_segment_id_seq RESTART WITH 1

ALTER SEQUENCE {S}.keyword_segment_id_seq RESTART WITH 9223372036854775806

ALTER SEQUENCE {S}.chunk_keyword_number_seq RESTART WITH 1

ALTER SEQUENCE {S}.chunk_keyword_number_seq INCREMENT BY -1 MINVALUE -9223372036854775808 RESTART WITH -9223372036854775800

UPDATE {S}.setting SET value = 'garbage'

UPDATE {S}.setting SET value = NULL

UPDATE {S}.setting SET value = repeat('x', 1000000)

UPDATE {S}.setting SET value = '{"a": "x\u0000y"}'

UPDATE {S}.setting SET value = repeat('[', 5000)

UPDATE {S}.setting SET value = '[{"source_id": null}, {}, 5, null]'

UPDATE {S}.setting SET value = '-1'

UPDATE {S}.setting SET value = 'NaN'

UPDATE {S}.setting SET value = '99999999999999999999'

INSERT INTO {S}.setting SELECT 'attached_tables', format('[{"source_id": "%s", "location": "public.nosuch", "uses": ["key", "content"], "labels": ["id", "body"], "names": ["id", "body"], "source_type": "x\u0000y", "row_security": "refuse", "row_secured": false}]', gen_random_uuid()) ON CONFLICT (name) DO UPDATE SET value = excluded.value

INSERT INTO {S}.setting SELECT 'attached_tables', format('[{"source_id": "%s", "location": "kb_neighbor.document", "uses": ["key", "content"], "labels": ["id", "content"], "names": ["id", "content"], "source_type": "table", "row_security": "refuse", "row_secured": false}]', gen_random_uuid()) ON CONFLICT (name) DO UPDATE SET value = excluded.value

INSERT INTO {S}.setting SELECT 'attached_tables', format('[{"source_id": "%s", "location": "\"", "uses": ["key", "nosuch"], "labels": [], "names": [null], "source_type": 5, "row_security": "refuse", "row_secured": false}]', gen_random_uuid()) ON CONFLICT (name) DO UPDATE SET value = excluded.value

INSERT INTO {S}.setting SELECT 'model_variants', '["int8\u0000", "f32"]' ON CONFLICT (name) DO UPDATE SET value = excluded.value

INSERT INTO {S}.setting SELECT 'model_variants', '{NULL}' ON CONFLICT (name) DO UPDATE SET value = excluded.value

DELETE FROM {S}.setting

UPDATE {S}.source SET location = 'garbage', kind = 'url'

INSERT INTO {S}.source (kind, location) VALUES ('table', 'kb_neighbor.document'), ('table', '"'), ('nosuch', E'\n')

DELETE FROM {S}.source

DROP INDEX {S}.chunk_keyword_number

DROP INDEX {S}.document_source_key

DROP INDEX {S}.chunk_metadata

DROP INDEX {S}.chunk_keyword_number; CREATE INDEX chunk_keyword_number ON {S}.chunk (id)

DROP INDEX {S}.chunk_keyword_number; CREATE INDEX chunk_keyword_number ON {S}.chunk (keyword_number DESC)

CREATE INDEX embedding_hnsw ON {S}.embedding (chunk_id)

DROP TRIGGER kb_rag_insert ON {S}.document

DROP TRIGGER kb_rag_update ON {S}.document

DROP TRIGGER kb_rag_prepare ON {S}.document

DROP TRIGGER kb_rag_count_insert ON {S}.chunk

DROP TRIGGER kb_rag_count_update ON {S}.chunk

DROP TRIGGER kb_rag_count_truncate ON {S}.chunk

DROP TRIGGER kb_rag_number ON {S}.chunk

DROP TRIGGER kb_rag_count_delete ON {S}.chunk

ALTER SCHEMA {S} RENAME TO "we""ird 'S\"

DROP SCHEMA {S} CASCADE

DROP SCHEMA {S} CASCADE; CREATE SCHEMA {S}

GRANT CREATE ON SCHEMA {S} TO attack_neighbor; ALTER SCHEMA {S} RENAME TO zz; CREATE SCHEMA {S}

ALTER TABLE {A} DROP COLUMN body

ALTER TABLE {A} ALTER body TYPE bytea USING body::bytea

ALTER TABLE {A} ALTER id TYPE text USING id::text

ALTER TABLE {A} DROP CONSTRAINT attached_{B}_pkey

ALTER TABLE {A} DROP CONSTRAINT attached_{B}_pkey; INSERT INTO {A} TABLE {A}; INSERT INTO {A} VALUES (NULL, 'x')

ALTER TABLE {A} RENAME TO zz

ALTER TABLE {A} RENAME TO zz; CREATE VIEW {A} AS TABLE public.zz

DROP TABLE {A}

ALTER TABLE {A} DISABLE TRIGGER USER

ALTER TABLE {A} ENABLE ROW LEVEL SECURITY; ALTER TABLE {A} FORCE ROW LEVEL SECURITY

CREATE TABLE public.child () INHERITS ({A}); INSERT INTO public.child VALUES (1, 'x'), (NULL, NULL)
