-- The operations of the sessions. Each paragraph is one operation, headed by its weight and name; each line
-- is a statement. {B} is one of the bases, {S} its schema. {text}, {title}, {key}, {id}, {few} and {word}
-- differ each time. {some} selects a few rows of {S}.document in random order that do not come from an
-- attached table, because changing those would require kb_reconcile. For the same reason only a base without
-- attached tables is truncated.

-- 14 insert
INSERT INTO {S}.document (title, content) SELECT '{title}', '{text} ' || i FROM generate_series(1, {few}) i

-- 10 upsert
INSERT INTO {S}.document (title, content, source_key) VALUES ('t', '{text}', '{key}') ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content

-- 12 update_content
UPDATE {S}.document SET content = content || ' {title}' WHERE {some}

-- 6 update_title
UPDATE {S}.document SET title = '{title}' WHERE {some}

-- 6 update_metadata
UPDATE {S}.document SET metadata = '{"a": {id}}', language = nullif('de', '{word}') WHERE {some}

-- 10 delete
DELETE FROM {S}.document WHERE {some}

-- 1 truncate
TRUNCATE kb_local.document CASCADE

-- 4 big_document_changed_at_once
INSERT INTO {S}.document (content, source_key) SELECT string_agg('{title} number ' || i || ' of a long text.', E'\n\n'), 'big' FROM generate_series(1, 60) i ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content
UPDATE {S}.document SET content = content || ' {title}' WHERE source_key = 'big'

-- 10 kb_add
SELECT kb_add('{B}', '{text} x', title => '{title}', source_key => '{key}')

-- 3 configure_chunks
SELECT kb_configure('{B}', chunk_size => {size})

-- 2 configure_weight
SELECT kb_configure('{B}', title_weight => {few})

-- 4 configure_model
SELECT kb_configure('{B}', model => '{model}', dimensions => {dimensions})

-- 2 configure_embed
SELECT kb_configure('{B}', embed => '{embed}')

-- 3 configure_language
SELECT kb_configure('{B}', text_config => '{config}')

-- 3 configure_accents
SELECT kb_configure('{B}', fold_accents => NOT fold_accents) FROM kb_list() WHERE name = '{B}'

-- 4 expose
SELECT kb_expose('{B}')
SELECT count(*), count(DISTINCT vector_dims(vec)) FROM {S}.collection

-- 4 reconcile
SELECT kb_reconcile('{B}')
SELECT kb_reconcile('{B}', outdated => true)

-- 2 reindex
SELECT kb_reindex('{B}')

-- 2 retry
SELECT kb_retry('{B}')

-- 10 search
SELECT count(*) FROM kb_search('{word} {word}', '{B}')

-- 5 search_all
SELECT count(*) FROM kb_search('{word}')

-- 3 status
SELECT count(s::text) FROM kb_rag.status s

-- 4 attach
SELECT kb_attach('{table}', '{attaching}', 'body')

-- 3 detach
SELECT kb_detach('{table}', '{attaching}', {boolean})

-- 10 plain_upsert
INSERT INTO plain SELECT i, 'h' || i, '{text} ' || i, 'm' FROM generate_series({id}, {id} + {few}) i ON CONFLICT (id) DO UPDATE SET body = excluded.body

-- 8 plain_update
UPDATE plain SET body = body || ' {title}' WHERE id BETWEEN {id} AND {id} + {few}

-- 4 plain_key
UPDATE plain SET id = id + 200 WHERE id = {id} AND NOT EXISTS (SELECT FROM plain p WHERE p.id = plain.id + 200)

-- 4 plain_delete
DELETE FROM plain WHERE id % 10 = {few}

-- 1 plain_truncate
TRUNCATE plain

-- 5 parted_upsert
INSERT INTO parted VALUES ({id}, '{text} p') ON CONFLICT (id) DO UPDATE SET body = excluded.body

-- 3 parted_move
UPDATE parted SET body = body || 'x', id = id + 100 WHERE id = {id}

-- 3 parted_delete
DELETE FROM parted WHERE id % 7 = {few}

-- 1 parted_delete_one
DELETE FROM parted_1 WHERE id % 7 = {few}

-- 1 parted_truncate
TRUNCATE parted

-- 3 work
CALL kb_work(1)

-- 2 import
SELECT kb_import('taken', 'imported', '{"content": "body", "embedding": "vec", "document": "k"}')

-- 2 imported_changes
UPDATE kb_taken.document SET title = '{title}' WHERE source_key = 'imported {few}'

-- 2 vacuum
VACUUM {S}.document, {S}.chunk, {S}.embedding, {S}.keyword_segment, {S}.keyword_run

-- 4 two_bases
BEGIN
UPDATE kb_inline.document SET content = content || '1' WHERE ctid IN (SELECT ctid FROM kb_inline.document WHERE source_id IS NULL ORDER BY random() LIMIT {few})
UPDATE kb_queued.document SET content = content || '2' WHERE ctid IN (SELECT ctid FROM kb_queued.document WHERE source_id IS NULL ORDER BY random() LIMIT {few})
COMMIT

-- 3 savepoint
BEGIN
INSERT INTO {S}.document (content) VALUES ('{text}')
SAVEPOINT a
INSERT INTO {S}.document (content) VALUES ('{text}')
UPDATE {S}.document SET title = 'q' WHERE {some}
ROLLBACK TO a
DELETE FROM {S}.document WHERE {some}
COMMIT

-- 3 repeatable_read
BEGIN ISOLATION LEVEL REPEATABLE READ
SELECT count(*) FROM {S}.document
SELECT pg_sleep(0.05)
UPDATE {S}.document SET content = content || ' rr' WHERE {some}
COMMIT

-- 1 two_phases
BEGIN
INSERT INTO {S}.document (content) VALUES ('{text} prepared')
PREPARE TRANSACTION '{gid}'

-- 4 search_then_write
BEGIN
SELECT count(*) FROM kb_search('{word}', '{B}')
INSERT INTO {S}.document (content) VALUES ('{text}')
COMMIT

-- 3 search_wait_write
BEGIN
SELECT count(*) FROM kb_search('{word}', '{B}')
SELECT pg_sleep(0.2)
UPDATE {S}.document SET content = content || ' w' WHERE {some}
COMMIT

-- 2 exception
DO $$BEGIN BEGIN INSERT INTO {S}.document (content) VALUES ('{text}'); PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN INSERT INTO {S}.document (content) VALUES ('after {text}'); END; END$$
