-- The arguments of searches that are not about ranking: syntax, NULL, counts, keys of filter; and the columns of a result.
SET client_min_messages = warning;
SELECT kb_create('manual', model => 'fake/test', dimensions => 8, text_config => 'english', chunk_size => 60, chunk_overlap => 0) IS NOT NULL AS created;
INSERT INTO kb_manual.document (title, content, source_key, source_type, mime_type, metadata) VALUES
    ('Flags', E'# Options\n\n## Output\n\nThe flag v prints more.\n\n## Input\n\nThe flag r reads folders.', 'flags.md', 'docs', 'text/markdown', '{"n": 1}'),
    ('Music', 'Play it again, said nobody in the film.', 'music.txt', 'webpage', NULL, '{"n": 2, "$": [{"$in": 1}]}'),
    (NULL, 'Folders hold other folders.', NULL, 'document', NULL, '{"n": 3}');

-- Plain text: quotes and dashes are characters. With syntax web they are operators.
SELECT q, syntax, (SELECT string_agg(concat(source, ' ', ordinal), ', ' ORDER BY source, ordinal) FROM kb_search(q, 'manual', 'keyword', 10, syntax => syntax)) AS keyword,
    (SELECT count(*) FROM kb_hybrid_search(q, 'manual', 10, syntax => syntax)) AS hybrid,
    (SELECT count(*) FROM kb_search(q, 'manual', 'semantic', 10, syntax => syntax)) AS semantic
FROM unnest(ARRAY['what does -v do?', 'what does v do?', 'who said "play it again, Sam"?', '"play it again, Sam"', 'said "folders', 'said folders"', '"said" "folders',
    '-folders', '--folders', '-"folders"', '"-folders"', '""', '-', '- " -', 'read - "or" -write', 'flag -v -r', '“play it” –again']) WITH ORDINALITY t (q, n), unnest('{plain,web}'::text[]) syntax
ORDER BY n, syntax;
-- Plain is the default, and NULL is the default.
SELECT bool_and(given.rows = missing.rows AND given.rows = empty.rows AND given.rows <> web.rows) AS plain
FROM unnest(ARRAY['what does -v do?', 'who said "play it again, Sam"?']) q,
    LATERAL (SELECT array_agg(s) AS rows FROM kb_hybrid_search(q, 'manual', syntax => 'plain') s) given,
    LATERAL (SELECT array_agg(s) AS rows FROM kb_hybrid_search(q, 'manual') s) missing,
    LATERAL (SELECT array_agg(s) AS rows FROM kb_hybrid_search(q, 'manual', syntax => NULL) s) empty,
    LATERAL (SELECT array_agg(s) AS rows FROM kb_hybrid_search(q, 'manual', syntax => 'web') s) web;
-- The whole text is embedded; with syntax web, what is left of it without exclusions.
SELECT syntax, s.similarity = (SELECT 1 - (e.embedding <=> kb_embed(text, 'fake/test', 8)) FROM kb_manual.embedding e WHERE e.chunk_id = s.chunk_id) AS is_embedded
FROM (VALUES ('plain', 'flag -folders'), ('web', 'flag')) v (syntax, text), LATERAL kb_hybrid_search('flag -folders', 'manual', 1, keyword_weight => 0, syntax => syntax) s;
-- Any number of quotes and dashes, up to the limit of bytes, is an error with syntax web only.
SELECT q, syntax, (SELECT state FROM error_of(format('SELECT kb_hybrid_search(%s, ''manual'', syntax => %L)', q, syntax)))
FROM unnest(ARRAY[$$'flag ' || repeat('"', 60000)$$, $$'flag ' || repeat('-', 60000)$$, $$'flag ' || repeat('"-', 30000)$$, $$'flag ' || repeat(' -"', 20000)$$,
    $$(SELECT string_agg('"w' || n || '" -x' || n, ' ') FROM generate_series(1, 2000) n)$$]) WITH ORDINALITY t (q, n), unnest('{plain,web}'::text[]) syntax
ORDER BY n, syntax;
SELECT * FROM error_of($$SELECT kb_search('x', 'manual', syntax => 'websearch')$$);
SELECT * FROM error_of($$SELECT kb_hybrid_search('x', 'manual', syntax => '')$$);
SELECT state FROM error_of($$SELECT kb_search('x', 'manual', syntax => 'Plain')$$);

-- match_offset, with match_count together, is limited as match_count is.
SELECT statement, message, hint FROM unnest(ARRAY[
    $$SELECT kb_search('x', 'manual', match_offset => -1)$$,
    $$SELECT kb_hybrid_search('x', 'manual', 10, match_offset => 9991)$$,
    $$SELECT kb_search_documents('x', 'manual', match_offset => 9223372036854775807)$$]) statement, error_of(statement);
SELECT count(*) FROM kb_search('flag', 'manual', match_offset => NULL);

-- Where a chunk is in its document.
SELECT s.source, s.source_type, s.heading, s.page, s.ordinal, s.start_char, s.end_char,
    s.content = substr(d.content, s.start_char + 1, s.end_char - s.start_char) AS is_there
FROM kb_search('flag folders film', 'manual', 'keyword', 10) s JOIN kb_manual.document d ON d.id = s.document_id
ORDER BY s.source, s.ordinal;
UPDATE kb_manual.chunk SET page = 7 WHERE heading LIKE '%Input';
SELECT page, heading FROM kb_hybrid_search('reads', 'manual', 1, semantic_weight => 0);
-- The columns that were there before are at their places.
SELECT string_agg(name, ' ' ORDER BY n) AS columns
FROM pg_proc, unnest(proargnames, proargmodes) WITH ORDINALITY a (name, mode, n)
WHERE proname = 'kb_hybrid_search' AND mode = 't';
-- An owner may have altered these columns, of which searches need none.
CREATE FUNCTION altered(change text)
RETURNS TABLE (content text, source_type text, heading text, page int, ordinal int, start_char int, end_char int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE change;
    RETURN QUERY SELECT split_part(s.content, E'\n', 3), s.source_type, s.heading, s.page, s.ordinal, s.start_char, s.end_char
        FROM kb_search('reads', 'manual', 'keyword') s;
    -- In a search without a name too: none is left out.
    IF NOT EXISTS (SELECT FROM kb_search('reads', mode => 'keyword')) THEN
        RAISE EXCEPTION 'the base is left out';
    END IF;
    RAISE EXCEPTION division_by_zero;
EXCEPTION WHEN division_by_zero THEN
    NULL;
END
$$;
SELECT left(change, 70) AS change, a.* FROM unnest(ARRAY['SELECT 1',
    'ALTER TABLE kb_manual.chunk DROP COLUMN page, DROP COLUMN heading CASCADE',
    'ALTER TABLE kb_manual.chunk ALTER page TYPE bigint, ALTER heading TYPE varchar(200), ALTER start_char TYPE text',
    'ALTER TABLE kb_manual.chunk ALTER ordinal DROP NOT NULL, ALTER start_char DROP NOT NULL, ALTER end_char DROP NOT NULL; UPDATE kb_manual.chunk SET ordinal = NULL, start_char = NULL, end_char = NULL',
    'ALTER TABLE kb_manual.document ALTER source_type DROP NOT NULL; ALTER TABLE kb_manual.document DISABLE TRIGGER USER; UPDATE kb_manual.document SET source_type = NULL',
    'ALTER TABLE kb_manual.document RENAME source_type TO kind']) change, altered(change) a;
DROP FUNCTION altered;

-- NULL for an argument that has a default is the default.
SELECT array_agg(s ORDER BY n) = (SELECT array_agg(s ORDER BY n) FROM kb_search('flag folders', 'manual') WITH ORDINALITY AS s (a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, n)) AS same, count(*)
FROM kb_search('flag folders', 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) WITH ORDINALITY AS s (a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, n);
SELECT count(*), min(score) = (SELECT min(score) FROM kb_hybrid_search('flag folders', 'manual')) AS same
FROM kb_hybrid_search('flag folders', 'manual', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT id AS manual FROM kb_list() WHERE name = 'manual' \gset
SELECT embedding AS vector FROM kb_manual.embedding ORDER BY chunk_id LIMIT 1 \gset
SELECT count(*) > 0 AS found, array_agg(id) = (SELECT array_agg(id) FROM match_knowledge_chunks(:'manual', :'vector', 5, 0.3)) AS same,
    count(*) < (SELECT count(*) FROM match_knowledge_chunks(:'manual', :'vector', 5, -1)) AS fewer
FROM match_knowledge_chunks(:'manual', :'vector', NULL, NULL);
-- For one without a default it is an error.
SELECT * FROM error_of($$SELECT kb_search(NULL, 'manual')$$);
SELECT * FROM error_of($$SELECT match_knowledge_chunks(NULL, kb_embed('x', 'fake/test', 8))$$);
SELECT * FROM error_of(format('SELECT match_knowledge_chunks(%L, NULL)', :'manual'));

-- Counts are bigint: drivers send 64 bits.
SELECT count(*) FROM kb_search('flag folders', 'manual', match_count => 2::smallint, max_per_document => 1::bigint, rrf_k => 10::int);
SELECT count(*) FROM match_knowledge_chunks(:'manual', kb_embed('flag', 'fake/test', 8), 2::bigint, -1);
SELECT statement, message, hint FROM unnest(ARRAY[
    $$SELECT kb_search('x', 'manual', match_count => 4294967301)$$, $$SELECT kb_search('x', 'manual', match_count => -9223372036854775808)$$,
    $$SELECT kb_search('x', 'manual', max_per_document => 4294967297)$$, $$SELECT kb_hybrid_search('x', 'manual', rrf_k => 4294967296)$$,
    $$SELECT kb_hybrid_search('x', 'manual', 9223372036854775807)$$]) statement, error_of(statement);
SELECT state, message, hint FROM error_of(format($$SELECT match_knowledge_chunks(%L, kb_embed('x', 'fake/test', 8), 4294967297)$$, :'manual'));

-- Keys that begin with $ are operators elsewhere: they find nothing here, and so are an error.
SELECT filter, e.* FROM unnest(ARRAY['{"$or": []}', '{"n": {"$gte": 2}}', '{"a": [1, {"b": [{"$in": [1]}]}]}', '{"$": 1}', '{"\u0024\u0069n": 1}', '{"a\"": 1, "$b\"": 2}']) filter,
    error_of(format($$SELECT kb_hybrid_search('folders', 'manual', filter => %L)$$, filter)) e;
SELECT state, length(message) < 600 AS short FROM error_of($$SELECT kb_search('x', 'manual', filter => (repeat('{"a": ', 1000) || '{"$' || repeat('x', 100000) || '": 1}' || repeat('}', 1000))::jsonb)$$);
SELECT filter, (SELECT array_agg(metadata->>'n') FROM kb_search('folders film', 'manual', 'keyword', filter => filter::jsonb))
FROM unnest(ARRAY['{"n": 2}', '{"n": 3}', '{"n": "$in"}', '{"": "$or"}', '{"a$": ["$x"]}', '{}']) filter;
SELECT kb_drop('manual');
