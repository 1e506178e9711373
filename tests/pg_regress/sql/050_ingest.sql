-- Triggers keep chunk and embedding in sync with document, in the same statement.
SET client_min_messages = warning;
SELECT kb_create('ingest', model => 'fake/test', dimensions => 8, chunk_size => 40, chunk_overlap => 0) IS NOT NULL AS created;
SET search_path = kb_ingest, public;

INSERT INTO document (title, content, source_key, language, metadata) VALUES
    ('One', 'First sentence of one. Second sentence of one. Third sentence of one.', 'docs/one.md', 'en', '{"team": "a"}'),
    ('Two', 'Only sentence of two.', 'https://example.org/two', NULL, '{"team": "b"}'),
    (NULL, 'No title at all.', NULL, NULL, '{}'),
    ('Empty', '', NULL, NULL, '{}');
SELECT title, status, error_message, indexed_at IS NOT NULL AS dated, content_hash = sha256(convert_to(content, 'UTF8')) AS hash
FROM document ORDER BY id;
SELECT d.title, c.ordinal, c.content, c.start_char, c.end_char, c.source_type, c.metadata, c.tsv
FROM chunk c JOIN document d ON d.id = c.document_id ORDER BY d.id, c.ordinal;
SELECT count(*) AS chunks, count(embedding) AS vectors FROM chunk LEFT JOIN embedding ON chunk_id = id;
-- The embedded text starts with the title.
SELECT bool_and(e.embedding = kb_embed(concat_ws(E'\n', d.title, c.content), 'fake/test', 8)) AS as_expected
FROM embedding e JOIN chunk c ON c.id = e.chunk_id JOIN document d ON d.id = c.document_id;

-- Rows keep their identity: compares xmin and id of every chunk and vector.
CREATE TEMP TABLE before AS
SELECT c.id, c.content, c.ordinal, c.xmin AS chunk_version, e.xmin AS vector_version FROM chunk c JOIN embedding e ON e.chunk_id = c.id;
CREATE VIEW pg_temp.changes AS
SELECT coalesce(a.content, b.content) AS content,
    CASE WHEN a.id IS NULL THEN 'added' WHEN b.id IS NULL THEN 'removed' ELSE 'kept' END AS passage,
    a.chunk_version IS DISTINCT FROM b.chunk_version AS chunk_written,
    a.vector_version IS DISTINCT FROM b.vector_version AS vector_written
FROM before a FULL JOIN (
    SELECT c.id, c.content, c.xmin AS chunk_version, e.xmin AS vector_version FROM chunk c LEFT JOIN embedding e ON e.chunk_id = c.id
) b ON b.id = a.id;

-- An update of nothing, of status alone, or to the same text writes neither chunks nor vectors.
UPDATE document SET status = 'failed', content_hash = NULL WHERE title = 'One';
UPDATE document SET content = content;
SELECT status, content_hash IS NOT NULL AS hash FROM document WHERE title = 'One';
SELECT count(*) AS written FROM pg_temp.changes WHERE passage <> 'kept' OR chunk_written OR vector_written;

-- An update of metadata alone writes chunks but no vectors.
UPDATE document SET metadata = '{"team": "c"}' WHERE title = 'Two';
SELECT * FROM pg_temp.changes WHERE passage <> 'kept' OR chunk_written OR vector_written;
SELECT metadata FROM chunk WHERE content = 'Only sentence of two.';

-- So does a different source_type or language. Rows inserted with the triggers off are indexed by any UPDATE.
UPDATE document SET source_type = 'webpage', language = 'de' WHERE title = 'Two';
SELECT source_type, metadata->>'language' AS language FROM chunk WHERE content = 'Only sentence of two.';
SET session_replication_role = replica;
INSERT INTO document (title, content) VALUES ('Replicated', 'A row from elsewhere.');
SELECT status FROM document WHERE title = 'Replicated';
RESET session_replication_role;
UPDATE document SET title = title WHERE status = 'pending';
SELECT d.status, c.content, c.metadata, e.embedding IS NOT NULL AS embedded
FROM document d JOIN chunk c ON c.document_id = d.id LEFT JOIN embedding e ON e.chunk_id = c.id WHERE d.title = 'Replicated';
DELETE FROM document WHERE title = 'Replicated';

-- A changed sentence re-embeds only its chunk; chunks that moved keep their vectors.
UPDATE document SET content = 'A new beginning. First sentence of one. Second sentence of one. Third sentence is new.' WHERE title = 'One';
SELECT * FROM pg_temp.changes WHERE passage <> 'kept' OR chunk_written OR vector_written ORDER BY content;
SELECT c.ordinal, c.content, c.content = substr(d.content, c.start_char + 1, c.end_char - c.start_char) AS at_offsets, c.metadata->'chunkIndex' AS index
FROM chunk c JOIN document d ON d.id = c.document_id WHERE d.title = 'One' ORDER BY c.ordinal;

-- A new title is embedded and indexed with every chunk, so all chunks are new.
UPDATE document SET title = 'Zwei' WHERE title = 'Two';
SELECT c.content, c.metadata->>'title' AS title, c.tsv FROM chunk c JOIN document d ON d.id = c.document_id WHERE d.title = 'Zwei';
SELECT e.embedding = kb_embed(concat_ws(E'\n', d.title, c.content), 'fake/test', 8) AS as_expected
FROM embedding e JOIN chunk c ON c.id = e.chunk_id JOIN document d ON d.id = c.document_id WHERE d.title = 'Zwei';

-- The primary key may change: the chunks follow.
UPDATE document SET id = '00000000-0000-0000-0000-000000000001' WHERE title = 'Zwei';
SELECT count(*) FROM chunk WHERE document_id = '00000000-0000-0000-0000-000000000001';

-- DELETE removes chunks and vectors too.
DELETE FROM document WHERE title = 'One';
SELECT count(*) AS chunks, count(embedding) AS vectors FROM chunk LEFT JOIN embedding ON chunk_id = id;

-- COPY.
COPY document (title, content) FROM stdin;
Copied 1	The first copied text.
Copied 2	The second copied text.
\.
SELECT content, metadata FROM chunk WHERE content LIKE '%copied%' ORDER BY content;

-- Many rows in one statement.
INSERT INTO document (title, content) SELECT 'Bulk ' || n, 'Bulk text number ' || n || '. ' || repeat('More of it. ', n % 20) FROM generate_series(1, 500) n;
SELECT count(DISTINCT d.id) AS documents, count(*) > 500 AS several, count(*) = count(e.embedding) AS all_embedded
FROM document d JOIN chunk c ON c.document_id = d.id LEFT JOIN embedding e ON e.chunk_id = c.id WHERE d.title LIKE 'Bulk%';

-- ON CONFLICT and MERGE.
INSERT INTO document (content, source_key) VALUES ('Upsert one.', 'key');
INSERT INTO document (content, source_key) VALUES ('Upsert two.', 'key')
ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content;
SELECT content FROM chunk WHERE metadata->>'filePath' = 'key';
SELECT state FROM error_of($$INSERT INTO kb_ingest.document (content, source_key) VALUES ('Upsert three.', 'key')$$);
MERGE INTO document d USING (VALUES ('key', 'Merged.'), ('new', 'Merged too.')) v (k, t) ON d.source_key = v.k
WHEN MATCHED THEN UPDATE SET content = v.t
WHEN NOT MATCHED THEN INSERT (content, source_key) VALUES (v.t, v.k);
SELECT content FROM chunk WHERE metadata->>'filePath' IN ('key', 'new') ORDER BY content;

-- A user's trigger edits the row before it is stored: the chunks follow the stored text.
CREATE FUNCTION pg_temp.shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.content := upper(NEW.content); RETURN NEW; END $$;
CREATE TRIGGER shout BEFORE INSERT ON document FOR EACH ROW EXECUTE FUNCTION pg_temp.shout();
CREATE FUNCTION pg_temp.again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE kb_ingest.document SET content = content || ' (TWICE)' WHERE id = NEW.id; RETURN NULL; END $$;
CREATE TRIGGER again AFTER INSERT ON document FOR EACH ROW EXECUTE FUNCTION pg_temp.again();
INSERT INTO document (content) VALUES ('edited in flight');
SELECT c.content FROM chunk c WHERE c.content ILIKE '%flight%';
DROP TRIGGER shout ON document;
DROP TRIGGER again ON document;

-- Savepoints: a rollback leaves nothing.
BEGIN;
INSERT INTO document (content) VALUES ('Kept in the transaction.');
SAVEPOINT s;
INSERT INTO document (content) VALUES ('Rolled back to the savepoint.');
ROLLBACK TO s;
COMMIT;
SELECT content FROM chunk WHERE content LIKE '%transaction%' OR content LIKE '%savepoint%';

-- A document that cannot be indexed changes nothing.
SELECT state FROM error_of($$INSERT INTO kb_ingest.document (content) VALUES ('fine'), (NULL)$$);
SELECT state FROM error_of($$INSERT INTO kb_ingest.document (content, metadata) VALUES ('x', '[1]')$$);
SELECT count(*) FROM chunk WHERE content = 'fine';

-- TRUNCATE … CASCADE empties the base.
TRUNCATE document CASCADE;
SELECT (SELECT count(*) FROM chunk) AS chunks, (SELECT count(*) FROM embedding) AS vectors;
DROP VIEW pg_temp.changes;
RESET search_path;
SELECT kb_drop('ingest');

-- A whole document in one chunk: its size is limited by what a tsvector can hold.
SELECT kb_create('whole', model => 'fake/test', dimensions => 8, chunk_strategy => 'none') IS NOT NULL AS created;
SELECT state, regexp_replace(message, '[0-9a-f-]{36}', '<id>') AS message, detail, hint FROM error_of($$SELECT kb_add('whole', repeat('word ', 250000))$$);
SELECT kb_add('whole', repeat('word ', 100000)) IS NOT NULL AS added;
SELECT count(*), max(length(content)) FROM kb_whole.chunk;
SELECT kb_drop('whole');

-- auto: by MIME type, name or source type; a change of the source type matters if it is code.
SELECT kb_create('auto', model => 'fake/test', dimensions => 8, chunk_size => 20, chunk_overlap => 0) IS NOT NULL AS created;
\set program '# one\n\nlet a = 1. Two();\nlet b = 2;'
INSERT INTO kb_auto.document (title, content, mime_type, source_key, source_type) VALUES
    ('text', :'program', NULL, NULL, 'document'),
    ('by name', :'program', NULL, 'src/a.rs', 'document'),
    ('by MIME type', :'program', 'text/x-rust', NULL, 'document'),
    ('by source type', :'program', NULL, NULL, 'code'),
    ('markdown', :'program', 'text/markdown', NULL, 'document');
SELECT d.title, to_json(array_agg(c.content ORDER BY c.ordinal)) AS chunks, min(c.heading) AS heading
FROM kb_auto.document d JOIN kb_auto.chunk c ON c.document_id = d.id GROUP BY d.id, d.title ORDER BY d.id;
UPDATE kb_auto.document SET source_type = 'code' WHERE title = 'text';
SELECT to_json(array_agg(c.content ORDER BY c.ordinal)) AS chunks FROM kb_auto.document d JOIN kb_auto.chunk c ON c.document_id = d.id WHERE d.title = 'text';
SELECT kb_drop('auto');

-- The status that a row returns is that of the settings now, also after a rollback.
SELECT kb_create('status', model => 'fake/test', dimensions => 8, embed => 'off') IS NOT NULL AS created;
INSERT INTO kb_status.document (content) VALUES ('without a vector') RETURNING status;
BEGIN;
SELECT kb_configure('status', embed => 'queued');
INSERT INTO kb_status.document (content) VALUES ('rolled back') RETURNING status;
ROLLBACK;
INSERT INTO kb_status.document (content) VALUES ('without a vector') RETURNING status;
SELECT kb_configure('status', embed => 'queued');
INSERT INTO kb_status.document (content) VALUES ('with one, later') RETURNING status;
SELECT kb_drop('status');
