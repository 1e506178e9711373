-- What a superuser can do to the catalog of kb_rag. As owner.sql, with {catalog} for each catalog table
-- that has rows of the base, and {its} for the condition that selects them. An alteration that begins with
-- "-- everything" may also break the other bases.

UPDATE kb_rag.{catalog} SET {column} = {hostile} WHERE {its}

UPDATE kb_rag.{catalog} SET {column} = NULL WHERE {its}

DELETE FROM kb_rag.{catalog} WHERE {its}

UPDATE kb_rag.knowledge_base SET chunk_size = 0, chunk_overlap = 0 WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET chunk_overlap = chunk_size * 5 WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET bm25_k1 = 'NaN', bm25_b = 'Infinity' WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET title_weight = -1e308, heading_weight = 'Infinity' WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET part_weight = 'NaN' WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET lexeme_format = 3, fold_accents = false WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET lexeme_format = 1, fold_accents = NOT fold_accents WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET log_searches = NOT log_searches WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET model_variants = '{NULL}' WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET model_variants = '[3:4]={a,b}' WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET next_model = 'fake/z', next_dimensions = 9 WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET next_model = 'fake/z', next_dimensions = NULL WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET owner = 'no such role' WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET schema = 'pg_catalog' WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET schema = 'kb_neighbor' WHERE name = '{B}'

UPDATE kb_rag.knowledge_base SET id = gen_random_uuid() WHERE name = '{B}'

INSERT INTO kb_rag.job (knowledge_base_id, kind, target, due_at, attempts) SELECT id, kind, gen_random_uuid(), '-infinity', 2147483647 FROM kb_rag.knowledge_base, unnest('{embed,change,backfill}'::text[]) kind WHERE name = '{B}'

INSERT INTO kb_rag.job (knowledge_base_id, kind, target, due_at, attempts) SELECT id, kind, gen_random_uuid(), 'infinity', -5 FROM kb_rag.knowledge_base, unnest('{embed,change,backfill}'::text[]) kind WHERE name = '{B}'

INSERT INTO kb_rag.job (knowledge_base_id, kind, target) SELECT id, kind, gen_random_uuid() FROM kb_rag.knowledge_base, unnest('{embed,change,backfill}'::text[]) kind WHERE name = '{B}'

INSERT INTO kb_rag.job (knowledge_base_id, kind, target, worker, claimed_at) SELECT gen_random_uuid(), kind, gen_random_uuid(), 1, now() FROM unnest('{embed,change,backfill}'::text[]) kind

INSERT INTO kb_rag.pause (provider, until, reason, failures, since) VALUES ('mock', 'infinity', 'x', 2147483647, '-infinity')

INSERT INTO kb_rag.pause (model, until, reason, failures, since) VALUES ('mock/small', '-infinity', 'x', -1, 'infinity')

UPDATE kb_rag.attached_table SET uses = '{}', labels = '{}', names = '{}', numbers = '{}' WHERE {its_base}

UPDATE kb_rag.attached_table SET uses = '{bad,bad}' WHERE {its_base}

UPDATE kb_rag.attached_table SET numbers = '{-1,-2,999}' WHERE {its_base}

UPDATE kb_rag.attached_table SET labels = '{NULL,NULL,NULL}' WHERE {its_base}

UPDATE kb_rag.attached_table SET is_read = false, read_to = '{x,y,z}' WHERE {its_base}

ALTER TABLE {S}.document OWNER TO attack_neighbor

ALTER SCHEMA {S} OWNER TO attack_neighbor

SET session_replication_role = replica; DELETE FROM {S}.chunk

SET session_replication_role = replica; DELETE FROM {S}.document

SET session_replication_role = replica; INSERT INTO {S}.embedding SELECT gen_random_uuid(), embedding FROM {S}.embedding

-- everything
DROP EXTENSION vector CASCADE

-- everything
ALTER EXTENSION vector SET SCHEMA elsewhere

-- everything
DROP EXTENSION kb_rag CASCADE

-- everything
DROP EXTENSION kb_rag CASCADE; CREATE EXTENSION kb_rag
