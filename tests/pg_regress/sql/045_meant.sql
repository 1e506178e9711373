-- Arguments that are right for the function, but not what the user means; and objects of users in the way.
\set VERBOSITY default
SELECT kb_create('notes', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;

-- The second argument is the description, not the model.
SELECT d AS description, e.state, e.message, e.hint
FROM unnest(ARRAY['openai/text-embedding-3-small', 'openai/any', 'fake/test', 'local/multilingual-e5-small', 'multilingual-e5-small',
    'text-embedding-3-small', 'it''s/a model', 'nobody/x', 'and/or', 'Models of ships', '', ' ']) WITH ORDINALITY t (d, n),
    error_of(format('SELECT kb_create(%L, %L); SELECT kb_drop(%1$L)', 'base' || n, d)) e
ORDER BY n;
SELECT state, message, hint FROM error_of($$SELECT kb_configure('notes', 'openai/text-embedding-3-small')$$);
SELECT kb_create('both', 'fake/test', 'fake/test', 8) IS NOT NULL AS created;

-- A path in place of a text, once a session, and in place of the bytes of a file.
SELECT kb_add('notes', '/home/ann/refunds.pdf') IS NOT NULL AS added;
SELECT kb_add('notes', 'C:\Users\ann\refunds.docx') IS NOT NULL AND kb_add('notes', 'It is in /home/ann/refunds.pdf.') IS NOT NULL AS added;
SELECT f AS filename, m AS mime_type, e.state, e.message, e.hint
FROM (VALUES ('refunds.pdf', NULL), ('a.docx', NULL), ('x', 'application/pdf')) t (f, m),
    error_of(format('SELECT kb_add_file(''notes'', ''/home/ann/refunds.pdf'', %L, mime_type => %L)', f, m)) e;
SELECT state, message FROM error_of($$SELECT * FROM kb_extract('docs/refunds.pdf', 'refunds.pdf')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_extract('No path, and no PDF file.', 'refunds.pdf')$$);
-- The document of an earlier version stays.
SELECT kb_add_file('notes', 'Refunds take a week.', 'refunds.txt') IS NOT NULL AS added;
SELECT state, message FROM error_of($$SELECT kb_add_file('notes', '/home/ann/refunds.txt', 'refunds.txt')$$);
SELECT content FROM kb_notes.document WHERE source_key = 'refunds.txt';
-- A word is no path, nor is a text that ends with one.
SELECT kb_add_file('notes', 'tea', 'tea') IS NOT NULL AS word, kb_add_file('notes', E'See\ndocs/refunds.txt', 'refunds.txt') IS NOT NULL AS text;
SELECT kb_add_file('notes', '/home/ann/refunds.txt', 'Refunds') IS NOT NULL AS added;

-- An estimate for a model that nobody knows.
SELECT calls, cost FROM kb_estimate('notes', model => 'openai/text-embeding-3-small');
SELECT calls, cost FROM kb_estimate('notes', model => 'openai/text-embeding-3-small');
SELECT calls, cost FROM kb_estimate('notes', model => 'openai/mine');
SELECT calls, cost IS NULL AS unknown FROM kb_estimate('notes', model => 'openai/text-embedding-3-small');

-- Views of users keep the vectors from being replaced. Nothing is changed before that is seen.
CREATE VIEW mine AS SELECT chunk_id FROM kb_notes.embedding;
SELECT * FROM error_of($$SELECT kb_configure('notes', model => 'fake/other', dimensions => 8)$$);
SELECT * FROM error_of($$SELECT kb_configure('notes', dimensions => 16)$$);
SELECT kb_configure('notes', chunk_size => 500, description => 'Notes');
SELECT name, model, dimensions, description FROM kb_list() WHERE name = 'notes';
DROP VIEW mine;
SELECT kb_expose('notes');
CREATE VIEW mine AS SELECT metadata FROM kb_notes.collection;
SELECT * FROM error_of($$SELECT kb_configure('notes', dimensions => 16)$$);
DROP VIEW mine;
SELECT kb_configure('notes', dimensions => 16);
-- Nor can workers replace them: what they make is kept.
CREATE VIEW mine AS SELECT chunk_id FROM kb_notes.embedding;
SELECT kb_configure('notes', model => 'fake/other', dimensions => 8, embed => 'queued');
CREATE VIEW yours AS SELECT chunk_id FROM kb_notes.embedding;
SET client_min_messages = error;
CALL kb_work(0);
CALL kb_work(0);
CALL kb_work(0);
SELECT model, regexp_replace(paused, 'for \S+ s', 'for … s') AS paused FROM kb_rag.status WHERE knowledge_base = 'notes';
DROP VIEW mine, yours;
SELECT kb_retry('notes');
CALL kb_work();
SELECT model, paused FROM kb_rag.status WHERE knowledge_base = 'notes';
SELECT count(kb_drop(name)) FROM kb_list();
