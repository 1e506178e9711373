-- kb_add: the same source_type and source_key replace a document; unchanged text costs nothing.
SET client_min_messages = warning;
SELECT kb_create('notes', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('notes', 'The first version.', title => 'Note', source_key => 'a/b.txt', metadata => '{"n": 1}') AS id \gset
SELECT xmin AS version FROM kb_notes.document \gset
SELECT kb_add('notes', 'The first version.', title => 'Note', source_key => 'a/b.txt', metadata => '{"n": 1}') = :'id' AS same_id;
SELECT xmin::text = :'version' AS not_written FROM kb_notes.document;
SELECT kb_add('notes', 'The second version.', title => 'Note', source_key => 'a/b.txt', metadata => '{"n": 2}') = :'id' AS same_id;
SELECT content, metadata FROM kb_notes.chunk;

-- A different source_type, or no key, makes a different document.
SELECT kb_add('notes', 'The second version.', source_key => 'a/b.txt', source_type => 'code') <> :'id' AS other_id;
SELECT kb_add('notes', 'No key.') <> kb_add('notes', 'No key.') AS two;
SELECT source_type, source_key, title, mime_type FROM kb_notes.document ORDER BY id;

-- Numbers in metadata are stored unchanged; the markdown strategy follows from the file name or MIME type.
SELECT kb_add('notes', E'# Head\n\nBody.', source_key => 'x.md', metadata => '{"big": 12345678901234567890.123456789}') IS NOT NULL AS added;
SELECT kb_add('notes', E'# Head\n\nBody.', mime_type => 'text/markdown') IS NOT NULL AS added;
SELECT kb_add('notes', E'# Head\n\nBody.', source_key => 'x.txt') IS NOT NULL AS added;
SELECT heading, metadata FROM kb_notes.chunk WHERE content LIKE '%Head%' ORDER BY id;

-- A file that is not text is indexed as it is, with a warning.
BEGIN;
SELECT kb_add('notes', '%PDF-1.7 text') IS NOT NULL AS added;
SELECT kb_add('notes', 'Plain text.', mime_type => 'application/pdf') IS NOT NULL AS added;
SELECT kb_add('notes', '%PDF-1.7'::bytea::text) IS NOT NULL AS added;
SELECT kb_add('notes', encode('PK\003\004', 'hex')) IS NOT NULL AS added;
SELECT kb_add('notes', 'https://example.com/docs') IS NOT NULL AND kb_add('notes', 'https://example.com/ has docs.') IS NOT NULL AS added;
SELECT kb_add('notes', E'<!DOCTYPE html>\n<p>Text.</p>', source_key => 'page') = kb_add('notes', E'<!DOCTYPE html>\n<p>Text.</p>', source_key => 'page') AS same_id;
SELECT kb_add('notes', 'The tag <html> begins a page.') IS NOT NULL AS added;
SELECT kb_add('notes', '<p>We <b>open</b> at nine.</p>') IS NOT NULL AS added;
SET LOCAL client_min_messages = notice;
SELECT kb_add('notes', E' \n') IS NOT NULL AS added, kb_add('notes', '') IS NOT NULL AS again;
SELECT kb_add('notes', '', source_key => 'emptied') = kb_add('notes', ' ', source_key => 'emptied') AS replaced;
-- Metadata in the place of another argument.
SELECT kb_add('notes', 'One.', 'Title', '{"team": "support"}') IS NOT NULL AS added, kb_add('notes', 'Two.', 'Title', 'key', '{"team": "support"}') IS NOT NULL AS also, kb_add('notes', 'Three.', '{"team"}', '{braces}') IS NOT NULL AS no_object;
ROLLBACK;

-- Invalid arguments change nothing.
SELECT count(*) AS documents FROM kb_notes.document \gset
SELECT * FROM error_of($$SELECT kb_add('none', 'x')$$);
SELECT * FROM error_of($$SELECT kb_add(NULL, 'x')$$);
SELECT * FROM error_of($$SELECT kb_add('notes', NULL)$$);
SELECT * FROM error_of($$SELECT kb_add('notes', 'x', metadata => '[]')$$);
SELECT * FROM error_of($$SELECT kb_add('notes', 'x', source_key => '')$$);
SELECT state FROM error_of($$SELECT kb_add('notes', E'a\x00b')$$);
SELECT state FROM error_of($$SELECT kb_add('notes', E'broken \xff text')$$);
SELECT state FROM error_of($$SELECT kb_add('notes', 'x', metadata => '{"a": "\u0000"}')$$);
SELECT count(*) = :documents AS unchanged FROM kb_notes.document;

-- The status view.
SELECT knowledge_base, schema, model, dimensions, documents, pending, indexed, failed, chunks, embedded, coverage,
    table_bytes > 0 AS tables, index_bytes > 0 AS indexes, model_variants, variant_in_use, kernel
FROM kb_rag.status;
-- The share has one decimal, and is 100 for all of them alone.
SET kb_rag.inline_chunks = 3000;
INSERT INTO kb_notes.document (content) SELECT 'Number ' || n FROM generate_series(1, 2000) n;
DELETE FROM kb_notes.embedding WHERE chunk_id = (SELECT id FROM kb_notes.chunk ORDER BY id LIMIT 1);
SELECT chunks, embedded, coverage FROM kb_rag.status;
DELETE FROM kb_notes.document WHERE content LIKE 'Number %';
SELECT chunks, embedded, coverage FROM kb_rag.status;
RESET kb_rag.inline_chunks;
SELECT kb_drop('notes');
