-- kb_extract and kb_add_file: kinds of files, pages, what replaces what, and what fails how.
\set VERBOSITY terse
SELECT kb_create('files', model => 'fake/test', dimensions => 8, chunk_size => 400) IS NOT NULL AS created;

-- A PDF file of these pages; a page whose content is NULL has none, one that begins with # is an image alone.
CREATE FUNCTION pdf(VARIADIC pages text[]) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    file text := E'%PDF-1.4\n';
    object text;
    objects text[];
    places int[] := '{}';
    stream text;
BEGIN
    objects := ARRAY['<< /Type /Catalog /Pages 2 0 R >>', format('<< /Type /Pages /Kids [%s] /Count %s >>',
        (SELECT string_agg(format('%s 0 R', 4 + 2 * n), ' ' ORDER BY n) FROM generate_series(0, cardinality(pages) - 1) n), cardinality(pages)),
        '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
    FOR i IN 1 .. cardinality(pages) LOOP
        stream := CASE WHEN pages[i] IS NULL THEN ''
            WHEN pages[i] LIKE '#%' THEN E'q 200 0 0 200 50 500 cm\nBI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID\n80>\nEI Q'
            ELSE format('BT /F1 12 Tf 72 720 Td (%s) Tj ET', pages[i]) END;
        objects := objects || ARRAY[format('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %s 0 R /Resources << /Font << /F1 3 0 R >> >> >>', 3 + 2 * i),
            format(E'<< /Length %s >>\nstream\n%s\nendstream', length(stream), stream)];
    END LOOP;
    FOR i IN 1 .. cardinality(objects) LOOP
        places := places || length(file);
        file := file || format(E'%s 0 obj\n%s\nendobj\n', i, objects[i]);
    END LOOP;
    RETURN convert_to(file || format(E'xref\n0 %s\n0000000000 65535 f \n', cardinality(objects) + 1)
        || (SELECT string_agg(lpad(p::text, 10, '0') || E' 00000 n \n', '' ORDER BY n) FROM unnest(places) WITH ORDINALITY p (p, n))
        || format(E'trailer << /Size %s /Root 1 0 R >>\nstartxref\n%s\n%%%%EOF\n', cardinality(objects) + 1, length(file)), 'LATIN1');
END $$;

-- Kinds of files, by their bytes, their type and their name.
SELECT * FROM kb_extract('Plain text.', 'notes.txt');
SELECT * FROM kb_extract(E'# A title\n\nText.', 'notes.md');
SELECT * FROM kb_extract(convert_to('<html lang="de"><head><title>Ein Titel</title><style>p {}</style></head><body><nav><a href="/">Start</a></nav><main><h1>Thema</h1><p>Das ist ein Absatz &amp; mehr.</p><script>alert(1)</script></main></body></html>', 'UTF8'));
SELECT mime_type, content FROM kb_extract('<p>One &lt; two</p>', mime_type => 'text/html');
-- What a control opens is content, other hidden text is not; a heading in a box is not over what follows.
SELECT content FROM kb_extract('<main><h2>Cleaning</h2><p>Weekly.</p><div class="note"><h3>Note</h3><p>No bleach.</p></div><p>Let it dry.</p><button aria-controls="a">How long?</button><div id="a" hidden>An hour.</div><p hidden>Obey me.</p></main>', mime_type => 'text/html');
-- Notebooks and subtitles; data in a text is left out, which is said.
SELECT mime_type, content FROM kb_extract('{"cells": [{"cell_type": "markdown", "source": ["# Pumps"]}, {"cell_type": "code", "source": "x = 1"}]}', 'a.ipynb');
SELECT mime_type, content FROM kb_extract(E'1\n00:00:01,000 --> 00:00:02,000\nThe pump\n\n2\n00:00:02,000 --> 00:00:03,000\nruns dry.\n', 'a.srt');
SELECT content FROM kb_extract(convert_to(format('An ![image](data:image/png;base64,%s) here.', repeat('iVBORw0KGgo', 30)), 'UTF8'), 'a.md');
-- A page of which nothing is left says so, and is no document.
SELECT content, error FROM kb_extract('<nav><a href="/">Home</a></nav><footer>Imprint</footer>', mime_type => 'text/html');
SELECT mime_type, content FROM kb_extract('<p>One</p>', 'page.htm');
SELECT page, content, error, mime_type FROM kb_extract(pdf('Page one.', NULL, '# image', 'Page four.'), 'a.pdf');
SELECT content FROM kb_extract(convert_to('Größe und Maß', 'LATIN1'), 'a.txt');
SELECT content FROM kb_extract('\xfeff00470072'::bytea || '\x00f6'::bytea, 'a.txt');
SELECT content FROM kb_extract(convert_to(E'a,b\r\n1,2\r\n', 'UTF8'), 'a.csv');
SELECT page, content FROM kb_extract('', 'empty.txt');

-- What cannot be read.
CREATE FUNCTION reading(file bytea, filename text DEFAULT NULL, password text DEFAULT NULL) RETURNS TABLE (state text, message text, hint text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kb_extract(file, filename, NULL, password);
    state := '00000';
    RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN NEXT;
END $$;
\x
SELECT * FROM reading('\x89504e470d0a1a0a0000000d49484452', 'picture.png');
SELECT * FROM reading('\x504b0506000000000000000000000000000000000000', 'archive.zip');
SELECT * FROM reading(pdf('# image', '# image'), 'scan.pdf');
SELECT * FROM reading('%PDF-1.4 and no more', 'short.pdf');
SELECT * FROM reading(NULL);
\x

-- A file is one document. Its text keeps the pages, and each chunk is of one.
SELECT kb_add_file('files', pdf('The first page is about tea.', 'The second page is about bread.', NULL, '# image', 'The last page is about both.'), 'dir/guide.pdf') AS id \gset
SELECT source_type, source_key, title, replace(content, E'\f', '<page end>') AS content, mime_type, language, metadata, status FROM kb_files.document;
SELECT ordinal, page, content, metadata - 'filename' AS metadata FROM kb_files.chunk ORDER BY ordinal;
SELECT source, page, content FROM kb_search('bread', 'files', 'keyword', 1);
SELECT kb_context('bread', 'files', 1, -1, style, 'keyword', page_numbers => page_numbers)
FROM unnest('{source,relevance}'::text[]) style, unnest('{t,f}'::bool[]) page_numbers;
SELECT kb_call_tool('search_files', '{"query": "The second page is about bread."}')->'content'->0->>'text' AS text;
SELECT kb_call_tool('search_knowledge', '{"query": "first page bread tea", "mode": "keyword", "limit": 1, "offset": 1, "knowledge_base": "files"}')->'sources'->0->>'page' AS second,
    kb_call_tool('search_knowledge', '{"query": "first page bread tea", "mode": "keyword", "limit": 2}')->'sources'->1->>'page' AS same;
SELECT file_bytes = length(pdf('The first page is about tea.', 'The second page is about bread.', NULL, '# image', 'The last page is about both.')) AS size,
    file_hash = sha256(pdf('The first page is about tea.', 'The second page is about bread.', NULL, '# image', 'The last page is about both.')) AS hash
FROM kb_files.document;
-- Cut again, the chunks have the same pages.
SELECT kb_configure('files', chunk_size => 20, chunk_overlap => 0);
SELECT string_agg(page || ': ' || content, '; ' ORDER BY ordinal) FROM kb_files.chunk;
SELECT kb_configure('files', chunk_size => 400, chunk_overlap => 50);

-- The same file again is not read, as the version of the row shows; other arguments still apply.
TRUNCATE kb_files.document CASCADE;
SELECT kb_add_file('files', 'About tea.', 'tea.txt', metadata => '{"team": "a"}') AS id \gset
SELECT xmin AS version FROM kb_files.document \gset
SELECT kb_add_file('files', 'About tea.', 'tea.txt', metadata => '{"team": "a"}') = :'id' AS same;
SELECT xmin = :version AS untouched FROM kb_files.document;
SELECT kb_add_file('files', 'About tea.', 'tea.txt', 'Tea', metadata => '{"team": "b", "filename": "x"}', language => 'de') = :'id' AS same;
SELECT title, language, metadata FROM kb_files.document;
SELECT kb_add_file('files', 'About tea.', 'tea.txt') = :'id' AS same;
SELECT title, language, metadata, file_bytes FROM kb_files.document;
-- With a MIME type it is read again, as that kind.
SELECT kb_add_file('files', '# About tea.', 'tea.md') AS markdown \gset
SELECT mime_type, title FROM kb_files.document WHERE id = :'markdown';
SELECT kb_add_file('files', '<nav><a href="/">Home</a></nav>', 'menu.html');
SELECT kb_add_file('files', '# About tea.', 'tea.md', mime_type => 'text/html') = :'markdown' AS same;
SELECT mime_type, title FROM kb_files.document WHERE id = :'markdown';
SELECT kb_delete(:'markdown', 'files');
-- Another file replaces it. Title and language of the call, else of the file; the language that the document has stays.
SELECT kb_add_file('files', E'---\ntitle: All about tea\nlang: fr\n---\n\nTea.', 'tea.txt', mime_type => 'text/markdown') = :'id' AS same;
SELECT title, language, mime_type, content, file_bytes FROM kb_files.document;
-- A change of the text by other means: the document is no longer that of the file.
UPDATE kb_files.document SET content = 'Changed.';
SELECT file_hash, file_bytes FROM kb_files.document;
SELECT kb_add_file('files', 'About tea.', 'tea.txt') = :'id' AS same;
SELECT content, file_bytes FROM kb_files.document;
SELECT kb_add('files', 'By kb_add.', source_key => 'tea.txt') = :'id' AS same;
SELECT file_bytes FROM kb_files.document;
-- Other changes keep it.
SELECT kb_add_file('files', 'About tea.', 'tea.txt') = :'id' AS same;
UPDATE kb_files.document SET title = 'A title';
SELECT file_bytes, length(file_hash) FROM kb_files.document;

-- Keys, sources and types.
TRUNCATE kb_files.document CASCADE;
INSERT INTO kb_files.source (id, kind, location) VALUES ('a0000000-0000-0000-0000-000000000001', 'directory', '/a'), ('a0000000-0000-0000-0000-000000000002', 'directory', '/b');
SELECT kb_add_file('files', 'Zero.', 'README.md') IS NOT NULL;
SELECT kb_add_file('files', 'One.', 'README.md', source_id => 'a0000000-0000-0000-0000-000000000001') IS NOT NULL;
SELECT kb_add_file('files', 'Two.', 'README.md', source_id => 'a0000000-0000-0000-0000-000000000002') IS NOT NULL;
SELECT kb_add_file('files', 'Two.', 'README.md', source_id => 'a0000000-0000-0000-0000-000000000002') IS NOT NULL;
SELECT kb_add_file('files', 'fn main() {}', 'C:\src\main.rs') IS NOT NULL;
SELECT kb_add_file('files', 'Own key.', 'x.txt', source_key => 'https://example.com/x', source_type => 'webpage') IS NOT NULL;
SELECT source_id, source_type, source_key, content, mime_type, metadata FROM kb_files.document ORDER BY content;
DELETE FROM kb_files.source WHERE location = '/b';
SELECT count(*) FROM kb_files.document;

-- Mistakes.
SELECT kb_add_file('files', 'x', '');
SELECT kb_add_file('files', 'x', NULL);
SELECT kb_add_file('files', NULL, 'x');
SELECT kb_add_file('file', 'x', 'x.txt');
SELECT kb_add_file('files', 'x', 'x.txt', source_key => '');
SELECT kb_add_file('files', 'x', 'x.txt', metadata => '[]');
SELECT kb_add_file('files', 'x', 'x.txt', source_id => 'a0000000-0000-0000-0000-000000000009');
SELECT kb_add_file('files', '\x89504e470d0a1a0a0000000d49484452', 'picture.png');
-- A file that could not be read does not replace its document.
SELECT kb_add_file('files', 'the text', 'kept.txt') IS NOT NULL AS added;
SELECT kb_add_file('files', '', 'kept.txt');
SELECT content FROM kb_files.document WHERE source_key = 'kept.txt';
SELECT kb_add_file('files', E'\n \n', 'blank.txt') IS NOT NULL AS added;
SELECT kb_add_file('files', '/srv/files/other.txt', 'path.txt') IS NOT NULL AS added;
DELETE FROM kb_files.document WHERE source_key IN ('kept.txt', 'blank.txt', 'path.txt');

-- Privileges: those of kb_add. Reading files without a base takes a grant.
CREATE ROLE kb_regress_files;
SET ROLE kb_regress_files;
SELECT * FROM kb_extract('text');
SELECT kb_add_file('files', 'x', 'x.txt');
RESET ROLE;
SELECT kb_grant('files', 'kb_regress_files', 'write');
GRANT EXECUTE ON FUNCTION kb_extract TO kb_regress_files;
SET ROLE kb_regress_files;
SELECT content FROM kb_extract('text');
SELECT kb_add_file('files', 'Written with the grant.', 'x.txt') IS NOT NULL AS added;
RESET ROLE;
-- Row security decides what may be written, and a document that is not seen is not replaced.
ALTER TABLE kb_files.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON kb_files.document USING (metadata ->> 'owner' = current_user) WITH CHECK (metadata ->> 'owner' = current_user);
SET ROLE kb_regress_files;
SELECT kb_add_file('files', 'Another.', 'y.txt');
SELECT kb_add_file('files', 'Another.', 'y.txt', metadata => '{"owner": "kb_regress_files"}') IS NOT NULL AS added;
SELECT kb_add_file('files', 'Another.', 'y.txt', metadata => '{"owner": "kb_regress_files"}') IS NOT NULL AS added;
SELECT kb_add_file('files', 'Taken over.', 'x.txt', metadata => '{"owner": "kb_regress_files"}');
RESET ROLE;
SELECT content FROM kb_files.document WHERE source_key = 'x.txt' AND source_type = 'document';

SELECT kb_drop('files');
REVOKE EXECUTE ON FUNCTION kb_extract FROM kb_regress_files;
DROP ROLE kb_regress_files;
DROP FUNCTION pdf, reading;
