-- What shapes the results of a search: neighbors, several bases, copies, snippets.
SET client_min_messages = warning;
SELECT kb_create('manual', model => 'fake/test', dimensions => 8, chunk_size => 40, chunk_overlap => 0) IS NOT NULL AS created;
SELECT kb_add('manual', 'Alpha pumps move water.  Bravo hoses carry it further. Charlie valves close the circuit. Delta seals keep it dry. Echo drains take the rest.', 'Manual', 'm') IS NOT NULL AS added;
SELECT ordinal, start_char, end_char, content FROM kb_manual.chunk ORDER BY ordinal;
CREATE FUNCTION shown(query text, neighbors int, match_count int DEFAULT 10, match_offset int DEFAULT 0) RETURNS TABLE (source text, ordinal int, is_from_document boolean, start_char int, end_char int, content text)
LANGUAGE sql BEGIN ATOMIC
    SELECT s.source, s.ordinal, s.content = substr(d.content, s.start_char + 1, s.end_char - s.start_char), s.start_char, s.end_char, s.content
    FROM kb_search(query, 'manual', 'keyword', match_count, neighbors => neighbors, match_offset => match_offset) s JOIN kb_manual.document d ON d.id = s.document_id;
END;

-- A hit in the middle, at the beginning and at the end; more neighbors than there are.
SELECT * FROM shown('charlie', 1);
SELECT * FROM shown('alpha', 1);
SELECT * FROM shown('echo', 2);
SELECT * FROM shown('charlie', 100);
-- No text comes twice: what another row shows is left out, what overlaps is cut. The first rows are the same for every count and offset.
SELECT * FROM shown('alpha bravo delta echo', 1);
SELECT count(*) AS differing FROM generate_series(1, 6) n,
    LATERAL ((SELECT * FROM shown('alpha bravo delta echo', 1, n) EXCEPT SELECT * FROM (SELECT * FROM shown('alpha bravo delta echo', 1)) a)) d;
SELECT count(*) AS rows, count(DISTINCT ordinal) AS different FROM generate_series(0, 3) o, shown('alpha bravo delta echo', 1, 1, o);
-- Neighbors stay on the page of the hit.
SELECT kb_add('manual', E'Golf one is here on top.\nGolf two is here as well.\fHotel page is the next page.\nHotel more is said here.', 'Pages', 'p') IS NOT NULL AS added;
SELECT content, page, ordinal FROM kb_search('two', 'manual', 'keyword', neighbors => 2);
-- The header of a table comes with the rows that follow it, once.
SELECT kb_add('manual', E'# Prices\n\n| item | price |\n|---|---|\n| juliet hose | 12 |\n| kilo pump | 30 |\n| lima valve | 45 |\n| mike seal | 5 |\n', 'Table', 't', mime_type => 'text/markdown') IS NOT NULL AS added;
SELECT ordinal, context, content FROM kb_search('lima', 'manual', 'keyword', 1);
SELECT ordinal, context, content FROM kb_search('lima', 'manual', 'keyword', 1, neighbors => 1);
-- A document whose text is no longer that of its chunks is shown as its chunks are.
SET session_replication_role = replica;
UPDATE kb_manual.document SET content = 'x' || content WHERE source_key = 'm';
RESET session_replication_role;
SELECT content, start_char, end_char FROM kb_search('charlie', 'manual', 'keyword', 1, neighbors => 1);
SET session_replication_role = replica;
UPDATE kb_manual.document SET content = substr(content, 2) WHERE source_key = 'm';
RESET session_replication_role;

-- Contexts: neighbors, and documents as far as they fit, around the passage.
SELECT kb_context('charlie', 'manual', mode => 'keyword', match_threshold => -1, neighbors => 1, style => 'source', match_count => 1);
SELECT kb_context('charlie', 'manual', mode => 'keyword', match_threshold => -1, whole_document => true, max_chars => 1000, style => 'source', match_count => 1);
SELECT kb_context('charlie', 'manual', mode => 'keyword', match_threshold => -1, whole_document => true, max_chars => 110, style => 'source', match_count => 1);
-- Tools of an agent.
SELECT kb_attach_agent(kb_agent('reader'), 'manual');
SELECT (kb_call_tool('search_knowledge', '{"query": "charlie", "mode": "keyword", "limit": 1, "neighbors": 1}', kb_agent('reader')) #>> '{content,0,text}') ~ 'Bravo.*Charlie.*Delta' AS has_neighbors;
SELECT kb_call_tool('search_knowledge', '{"query": "charlie", "neighbors": 11}', kb_agent('reader')) #>> '{content,0,text}' AS refused;

-- Copies.
SELECT kb_create('mirror', model => 'fake/test', dimensions => 8, chunk_size => 40, chunk_overlap => 0) IS NOT NULL AS created;
SELECT kb_add('mirror', 'Charlie valves close the circuit. Foxtrot is new here.', 'Mirror', 'copy') IS NOT NULL AS added, kb_add('mirror', 'Charlie valves close the circuit.', 'Mirror', 'again') IS NOT NULL AS added;
SELECT knowledge_base, source, content FROM kb_search('charlie', mode => 'keyword') ORDER BY 1, 2;
SELECT count(*) AS rows, bool_and(duplicates IS NULL) AS lists_none FROM kb_search('charlie', mode => 'keyword');
SELECT s.content, (SELECT jsonb_agg(d - '{chunk_id,document_id}'::text[] ORDER BY d ->> 'source') FROM jsonb_array_elements(s.duplicates || jsonb_build_object('source', s.source, 'knowledge_base', s.knowledge_base)) d) AS all_of_them,
    (SELECT bool_and(EXISTS (SELECT FROM kb_mirror.chunk c WHERE c.id = (d ->> 'chunk_id')::uuid AND c.document_id = (d ->> 'document_id')::uuid UNION ALL SELECT FROM kb_manual.chunk c WHERE c.id = (d ->> 'chunk_id')::uuid)) FROM jsonb_array_elements(s.duplicates) d) AS exist
FROM kb_search('charlie', mode => 'keyword', duplicates => 'merge') s;
-- The count is of different texts.
SELECT count(*) AS rows, count(DISTINCT content) AS different FROM kb_search('charlie foxtrot delta', mode => 'keyword', match_count => 3, duplicates => 'merge');
SELECT source, duplicates -> 0 ->> 'source' AS copy FROM kb_search_documents('charlie', 'mirror', mode => 'keyword', duplicates => 'merge') ORDER BY source;
SELECT regexp_count(kb_context('charlie', mode => 'keyword', match_threshold => -1), 'Charlie') AS merged, regexp_count(kb_context('charlie', mode => 'keyword', match_threshold => -1, duplicates => 'keep'), 'Charlie') AS kept,
    regexp_count(kb_context('charlie', 'mirror', mode => 'semantic', match_threshold => -1), 'Charlie') AS semantic;

-- Several bases by name.
SELECT kb_create('other', model => 'fake/test', dimensions => 8) IS NOT NULL AS created, kb_add('other', 'Charlie is elsewhere, too.', 'Other', 'o') IS NOT NULL AS added;
SELECT DISTINCT knowledge_base FROM kb_search('charlie', knowledge_bases => '{other,manual,other}', mode => 'keyword') ORDER BY 1;
SELECT source FROM kb_search_documents('elsewhere', knowledge_bases => ARRAY['other'], mode => 'keyword');
SELECT kb_context('elsewhere', knowledge_bases => '{other,manual}', mode => 'keyword', match_threshold => -1, match_count => 1, style => 'source');
CREATE ROLE kb_regress_shaped;
SELECT kb_grant('manual', 'kb_regress_shaped', 'read');
SET ROLE kb_regress_shaped;
SELECT count(*) FROM kb_search('charlie', knowledge_bases => '{manual}', mode => 'keyword');
SELECT (error_of($$SELECT * FROM kb_search('charlie', knowledge_bases => '{manual,other}')$$)).*;
SELECT count(*) FROM kb_highlight('Charlie', 'charlie', 'manual');
SELECT (error_of($$SELECT * FROM kb_highlight('Charlie', 'charlie', 'other')$$)).*;
RESET ROLE;
SELECT kb_revoke('manual', 'kb_regress_shaped', 'read');
DROP ROLE kb_regress_shaped;

-- Snippets: stems, parts of compounds, accents, texts without spaces; as the analyzer of the document reads them.
SELECT * FROM kb_highlight('The pumps and the hoses leak, so close the valve now before water gets in.', 'valves hose', 'manual', 30);
SELECT * FROM kb_highlight('The Café calls getUserById.', 'cafe user', 'manual', start_sel => '[', stop_sel => ']');
SELECT * FROM kb_highlight('知识库里的文档会被切分成片段，再嵌入为向量。', '文档', 'manual', 8);
SELECT * FROM kb_highlight('Nothing of it is here.', 'valves', 'manual', 10);
SELECT * FROM kb_highlight('Die Häuser stehen leer.', 'Haus', 'manual'), kb_highlight('Die Häuser stehen leer.', 'Haus', 'manual', language => 'de') g (german, german_start, german_end, german_positions);
SELECT * FROM kb_highlight('', 'valves', 'manual');
SELECT kb_add('other', 'Über die alten ' || repeat('Mauern und Wege ', 20) || 'Häuser steht vieles ' || repeat('in den Akten ', 20), 'Lang', 'lang', language => 'de') IS NOT NULL AS added;
SELECT length(content) > 400 AS is_long, length(snippet) <= 200 AS is_short, snippet ~ 'Häuser' AS shows_it, content LIKE '%' || snippet || '%' AS is_part FROM kb_search('Haus', 'other', 'keyword', snippet => true);
SELECT snippet IS NULL AS has_none FROM kb_search('Haus', 'other', 'keyword');

-- Mistakes.
SELECT call, e.state, e.message, e.hint FROM unnest(ARRAY['neighbors => -1', 'neighbors => 101', 'knowledge_bases => ''{}''', 'knowledge_bases => ''{manual,NULL}''', 'knowledge_bases => ''{nowhere}''', 'knowledge_bases => ''{manual}'', agent_id => kb_agent(''reader'')',
    'knowledge_bases => ''{manual}'', knowledge_base => ''manual''', 'duplicates => ''drop''', 'knowledge_bases => array_fill(''manual''::text, ARRAY[100])']) call,
    error_of('SELECT * FROM kb_search(''x'', ' || call || ')') e;
SELECT call, e.state, e.message, e.hint FROM unnest(ARRAY['whole_document => true', 'whole_document => true, max_chars => 0', 'whole_document => true, max_chars => 100, neighbors => 1', 'neighbors => 101', 'knowledge_bases => ''{}''']) call,
    error_of('SELECT kb_context(''x'', ' || call || ')') e;
SELECT (error_of($$SELECT * FROM kb_highlight('a', 'a', 'manual', 0)$$)).*;
SELECT (error_of($$SELECT * FROM kb_highlight('a', 'a', NULL)$$)).*;
-- NULL is the default.
SELECT count(*) FROM kb_search('charlie', 'mirror', mode => 'keyword', neighbors => NULL, knowledge_bases => NULL, duplicates => NULL, snippet => NULL);
