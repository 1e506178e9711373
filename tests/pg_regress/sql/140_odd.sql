-- Odd texts, names, settings and environments: stored unchanged and found again, or rejected with a clear error.
SET client_min_messages = warning;
SELECT kb_create('odd', model => 'fake/test', dimensions => 8, chunk_size => 40, chunk_overlap => 0, index_method => 'none') IS NOT NULL AS created;

-- Nothing to index, only white space, one giant word, characters that stand alone or run from right to left.
CREATE TEMP TABLE odd (n int, what text, content text);
INSERT INTO odd VALUES
    (1, 'empty', ''),
    (2, 'white space', E' \t\r\n\u00a0\u2003\u3000\u200b\u2028 '),
    (3, 'replacement', E'a \ufffd b \ufffd\ufffd'),
    (4, 'byte order marks', E'\ufeffbom one \ufeff two'),
    (5, 'private use', E'private \ue000\uf8ff \U000F0000 \U0010FFFD use'),
    (6, 'noncharacters', E'non \ufdd0 \uffff \U0001FFFE characters'),
    (7, 'lone marks', E'\u0301\u0301 \u0903\u200d mark'),
    (8, 'emoji chain', repeat(E'\U0001F469\u200d', 60) || E'\U0001F467'),
    (9, 'flags', repeat(E'\U0001F1E9\U0001F1EA', 60)),
    (10, 'overrides', E'\u202eoverride\u202c \u2066isolate\u2069 \u200f\u061cmarks'),
    (11, 'hebrew', 'שָׁלוֹם עוֹלָם. מה שלומך היום? הכל בסדר, תודה.'),
    (12, 'arabic', 'السَّلامُ عَلَيْكُم. كيف حالك اليوم؟ بخير، شكرا.'),
    (13, 'indic', 'नमस्ते दुनिया। क्षत्रिय और ज्ञान। স্বাগতম। வணக்கம்.'),
    (14, 'jamo', E'\u1112\u1161\u11ab\u1100\u1173\u11af'),
    (15, 'tags', E'\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F flag'),
    (16, 'zalgo', 'z' || repeat(E'\u0300\u0301\u0302', 100) || 'algo'),
    (17, 'giant word', repeat('x', 5000)),
    (18, 'giant word of three bytes', repeat('語', 5000)),
    (19, 'giant arabic word', repeat('عالم', 2000)),
    (20, 'controls', E'\u0001\u0002\u0007\u001b[31mred\u0085\u009f end'),
    (21, 'quotes', E'''"\\ $$ $1 {schema} %s -- /* */ ; \\n'),
    (22, 'capitals that grow', 'İSTANBUL ŐŰ ẞ ß ŉ ΌΔΟΣ ǅ');
INSERT INTO kb_odd.document (title, content, source_key) SELECT what, content, n FROM odd;
SELECT count(*) AS documents, count(*) FILTER (WHERE d.content = o.content) AS as_given, count(*) FILTER (WHERE status = 'indexed') AS indexed
FROM kb_odd.document d JOIN odd o ON o.n = d.source_key::int;
SELECT what, count(c.id) AS chunks, count(e.chunk_id) AS vectors, max(length(c.content)) AS longest,
    coalesce(bool_and(c.content = substr(o.content, c.start_char + 1, c.end_char - c.start_char)), true) AS at_offsets
FROM odd o JOIN kb_odd.document d ON o.n = d.source_key::int LEFT JOIN kb_odd.chunk c ON c.document_id = d.id
LEFT JOIN kb_odd.embedding e ON e.chunk_id = c.id GROUP BY n, what ORDER BY n;
-- Each is found by its own text, in every mode; texts without words are found only by vector.
SELECT mode, count(*) FILTER (WHERE found) AS found, string_agg(what, ', ' ORDER BY n) FILTER (WHERE NOT found) AS not_found
FROM (VALUES ('hybrid'), ('semantic'), ('keyword')) m (mode)
CROSS JOIN LATERAL (
    SELECT n, what, EXISTS (SELECT FROM kb_search(left(o.content, 30), 'odd', mode, 1000) s WHERE s.title = o.what) AS found FROM odd o WHERE n > 2
) s GROUP BY mode ORDER BY mode;
SELECT title FROM kb_search('שלומך', 'odd', 'keyword');

-- A query of such characters, of one giant word, of a giant phrase.
SELECT count(*) FROM odd, kb_hybrid_search(left(content, 2000), 'odd', 1) WHERE n > 2;
SELECT count(*) FROM kb_hybrid_search('"' || repeat('語言', 500) || '"', 'odd', syntax => 'web');
SELECT count(*) FROM kb_hybrid_search('"' || repeat('語言', 5000) || '"', 'odd', syntax => 'web');
SELECT count(*) > 0 AS found FROM kb_hybrid_search('"' || repeat('語言', 5000) || '"', 'odd');
SELECT count(*) FROM kb_hybrid_search(repeat('x', 20000), 'odd', 3);
SELECT state, message FROM error_of($$SELECT kb_hybrid_search(repeat('word ', 2000000), 'odd')$$);
SELECT count(*) FROM odd, LATERAL (SELECT kb_embed(content, 'fake/test', 8)) e;
-- Characters that mean something to PostgreSQL, to templates or to markup mean nothing in a query.
CREATE TEMP TABLE query (q text);
INSERT INTO query VALUES ('it''s'), (E'test & more'), (E'a\tb\nc'), ('<b>html</b>'), ('user@example.org/path?x=1#y'), ('1e309 -0 NaN'),
    (''''), (''''''), (E'\\'), (E'\\'''), ('a & | b'), ('!'), ('a:*'), ('<->'), ('((('), ('"unclosed'), ('-'), ('--'), ('or'), ('or or'), ('%'), ('_'), ('$1'),
    ('{schema}'), ('{limit}'), ('''; DROP TABLE kb_odd.chunk; --'), (E'\u0001\u0002'), (E'\ufffd'), (E'\u202ex'), ('👩‍👩‍👧'), ('東京');
SELECT mode, syntax, count(*) AS queries, count(*) FILTER (WHERE e.state = '00000') AS answered
FROM query, unnest('{hybrid,keyword,semantic}'::text[]) mode, unnest('{plain,web}'::text[]) syntax,
    error_of(format('SELECT kb_search(%L, ''odd'', %L, syntax => %L)', q, mode, syntax)) e GROUP BY 1, 2 ORDER BY 1, 2;
-- The longest query, of distinct words only.
SELECT count(*) > 0 AS found FROM kb_hybrid_search((SELECT string_agg('w' || n, ' ') FROM generate_series(0, 8999) n), 'odd');

-- Invalid values are rejected, and leave nothing behind.
SELECT id AS odd FROM kb_list() WHERE name = 'odd' \gset
\set nobody '''00000000-0000-0000-0000-000000000007'''
CREATE VIEW rows AS SELECT (SELECT count(*) FROM kb_odd.document) AS documents, (SELECT count(*) FROM kb_odd.chunk) AS chunks, (SELECT count(*) FROM kb_odd.embedding) AS vectors,
    (SELECT count(*) FROM kb_list()) AS bases;
CREATE TEMP TABLE rows_before AS TABLE rows;
SELECT e.state, statement FROM unnest(ARRAY[
    $$kb_add('no such base', 'x')$$, $$kb_add('', 'x')$$, $$kb_add(NULL, 'x')$$, $$kb_hybrid_search('x', 'no such base')$$, $$kb_hybrid_search('x', 'kb_odd')$$, $$kb_drop('no such base')$$,
    $$match_knowledge_chunks(:odd, '[1,2,3]')$$, $$match_knowledge_chunks(:odd, '[0,0,0,0,0,0,0,0]')$$, $$match_knowledge_chunks(:odd, '[NaN,0,0,0,0,0,0,1]')$$,
    $$match_knowledge_chunks(:odd, '1,2')$$, $$kb_hybrid_search('x', 'odd', query_embedding => '[1,2,3]')$$,
    $$kb_hybrid_search(repeat('x', 1 << 20), 'odd')$$, $$kb_search(repeat('x', 1 << 20), 'odd', 'keyword')$$, $$kb_create(repeat('x', 1 << 20), model => 'fake/test', dimensions => 8)$$,
    $$kb_embed('x', repeat('x', 1 << 20))$$, $$kb_embed('x', 'fake/test', 0)$$, $$kb_chunk('x', -2147483648, 0)$$, $$kb_chunk('x', 2147483647, 2147483647)$$,
    $$match_knowledge_chunks(NULL, kb_embed('x', 'fake/test', 8))$$, $$match_knowledge_chunks('', kb_embed('x', 'fake/test', 8))$$,
    $$match_knowledge_chunks(:odd, kb_embed('x', 'fake/test', 8), 4294967301)$$,
    $$kb_hybrid_search('x', 'odd', agent_id => :nobody)$$, $$kb_attach_agent(:nobody, 'odd', '[]')$$, $$kb_attach_agent(:nobody, 'no such base')$$,
    $$kb_hybrid_search('x', 'odd', 9223372036854775807)$$, $$kb_hybrid_search('x', 'odd', 4294967301)$$, $$kb_hybrid_search('x', 'odd', rrf_k => -9223372036854775808)$$,
    $$kb_hybrid_search('x', 'odd', rrf_k => 4294967296)$$, $$kb_hybrid_search('x', 'odd', max_per_document => 4294967297)$$, $$kb_hybrid_search('x', 'odd', keyword_weight => 'NaN')$$
]) WITH ORDINALITY t (statement, n), error_of('SELECT ' || replace(replace(statement, ':odd', quote_literal(:'odd')), ':nobody', quote_literal(:nobody))) e ORDER BY n;
SELECT state FROM error_of(format($$INSERT INTO kb_odd.embedding VALUES (%L, '[1,2,3]')$$, :'odd'));
SELECT count(*) AS different FROM rows, rows_before WHERE rows IS DISTINCT FROM rows_before;
SELECT count(*) FROM kb_hybrid_search('x', agent_id => :nobody);
DROP VIEW rows;

-- Names: every odd character; the schema is plain.
SELECT kb_create(name, model => 'fake/test', dimensions => 3, index_method => 'none') IS NOT NULL AS created
FROM (VALUES (E' a "quoted" \\ ''name'' \n with $1 {schema} %s\t; -- '), (E'\U0001F469\u200d\U0001F467 \u202eשלום\ufeff\ufffd'), (repeat(E'\U0001F469', 200)), (repeat('ä', 200))) v (name);
SELECT count(*) AS bases, bool_and(schema ~ '^kb_[a-z0-9_]{1,50}$') AS plain FROM kb_list() WHERE dimensions = 3;
SELECT count(*) AS added FROM kb_list() l, kb_add(l.name, 'The same text everywhere.') WHERE dimensions = 3;
SELECT count(*) FILTER (WHERE s.knowledge_base = l.name) AS found FROM kb_list() l, kb_hybrid_search('same text', l.name) s WHERE dimensions = 3;
SELECT kb_drop(name) IS NOT NULL AS dropped FROM kb_list() WHERE dimensions = 3;
SELECT state, message, hint FROM error_of($$SELECT kb_create(repeat('x', 201))$$);
SELECT state, message FROM error_of($$SELECT kb_create(E' \u3000\t')$$);

-- Large values besides the text. A key is indexed whole, so PostgreSQL limits its length.
SELECT kb_add('odd', 'A short text under a long title.', title => repeat('title ', 170000), source_key => 'title') IS NOT NULL AS added;
SELECT length(title) AS title FROM kb_odd.document WHERE source_key = 'title';
SELECT max(length(c.content)) < 41 AS small FROM kb_odd.chunk c JOIN kb_odd.document d ON d.id = c.document_id WHERE d.source_key = 'title';
SELECT state FROM error_of($$SELECT kb_add('odd', 'x', source_key => (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 3200) n))$$);
SELECT state FROM error_of($$INSERT INTO kb_odd.document (content, source_key) SELECT 'x', string_agg(md5(n::text), '') FROM generate_series(1, 3200) n$$);
SELECT kb_add('odd', 'A text with much metadata.', source_key => 'meta', metadata => (SELECT jsonb_object_agg('k' || n, md5(n::text)) FROM generate_series(1, 200000) n)) IS NOT NULL AS added;
SELECT content FROM kb_search('metadata', 'odd', filter => jsonb_build_object('k777', md5('777')));
SELECT kb_add('odd', 'A text with deep metadata.', source_key => 'deep', metadata => (repeat('{"a":', 1000) || '1' || repeat('}', 1000))::jsonb) IS NOT NULL AS added;
SELECT content FROM kb_search('metadata', 'odd', filter => (repeat('{"a":', 1000) || '1' || repeat('}', 1000))::jsonb);
SELECT state FROM error_of($$SELECT kb_add('odd', 'x', metadata => (repeat('{"a":', 100000) || '1' || repeat('}', 100000))::jsonb)$$);
SELECT kb_add('odd', 'A text of an odd kind.', source_key => 'kind', source_type => E'"\u202e''\\ kind', mime_type => repeat('text/', 1000)) IS NOT NULL AS added;
SELECT content FROM kb_search('kind', 'odd', source_type => E'"\u202e''\\ kind');
UPDATE kb_odd.document SET language = E'no such \U0001F469 language' WHERE source_key = 'kind';
SELECT content FROM kb_search('kind', 'odd', filter => jsonb_build_object('language', E'no such \U0001F469 language'));
SELECT kb_reconcile('odd') AS repaired;

-- Settings of the session change no results.
CREATE TEMP TABLE answer (who text, chunk_id uuid, score float8, similarity float8, content text, metadata jsonb);
CREATE PROCEDURE ask(who text) LANGUAGE sql AS $$
    INSERT INTO answer SELECT who, chunk_id, score, similarity, content, metadata FROM public.kb_hybrid_search('a text under שלום עולם', 'odd', 20);
    SELECT public.kb_add('odd', 'Settings of ' || who, source_key => 'settings');
$$;
CALL ask('default');
SET DateStyle = 'German, DMY'; SET IntervalStyle = 'sql_standard'; SET TimeZone = 'Pacific/Chatham'; SET bytea_output = escape;
SET extra_float_digits = -15; SET standard_conforming_strings = off; SET escape_string_warning = off; SET backslash_quote = on;
SET transform_null_equals = on; SET quote_all_identifiers = on; SET array_nulls = off; SET xmloption = document;
SET default_text_search_config = 'pg_catalog.german'; SET default_transaction_isolation = 'serializable'; SET lc_numeric = 'C'; SET lc_messages = 'C';
CALL ask('odd formats');
SET row_security = off; SET enable_seqscan = off; SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_nestloop = off; SET enable_hashjoin = off;
SET plan_cache_mode = force_generic_plan; SET work_mem = '64kB'; SET search_path = '';
CALL public.ask('odd plans');
SET plan_cache_mode = force_custom_plan; SET enable_sort = off; SET from_collapse_limit = 1; SET join_collapse_limit = 1; SET geqo_threshold = 2;
CALL public.ask('odd joins');
RESET ALL;
SET client_min_messages = warning;
SELECT who, count(*) AS answers FROM answer GROUP BY who ORDER BY who;
SELECT count(*) AS different FROM (
    SELECT chunk_id, score, similarity, content, metadata FROM answer WHERE content NOT LIKE 'Settings of%' GROUP BY 1, 2, 3, 4, 5 HAVING count(*) <> 4
) d;
SELECT content FROM kb_search('settings', 'odd', 'keyword');
DROP PROCEDURE ask;

-- Temporary, partitioned and other tables with the same names are not mistaken for those of the base.
CREATE TEMP TABLE document (id int, content text);
CREATE TEMP TABLE chunk (LIKE kb_odd.chunk INCLUDING ALL);
CREATE TEMP TABLE embedding (chunk_id uuid);
CREATE TEMP TABLE keyword_segment (LIKE kb_odd.keyword_segment INCLUDING ALL);
CREATE TEMP TABLE keyword_run (nothing int);
CREATE TEMP TABLE setting (name text, value text);
CREATE TEMP TABLE knowledge_base (LIKE kb_rag.knowledge_base INCLUDING ALL);
CREATE TEMP TABLE new_document (LIKE kb_odd.document INCLUDING ALL);
CREATE TEMP TABLE old_document (nothing int);
CREATE TEMP TABLE new_chunk (nothing int);
CREATE TEMP TABLE old_chunk (nothing int);
CREATE SCHEMA kb_other;
CREATE TABLE kb_other.document (id int, content text) PARTITION BY RANGE (id);
CREATE TABLE kb_other.document_1 PARTITION OF kb_other.document FOR VALUES FROM (0) TO (10);
CREATE TABLE kb_other.chunk (LIKE kb_odd.chunk INCLUDING ALL);
CREATE TABLE kb_odd.archive (id uuid, content text) PARTITION BY LIST (content);
CREATE TABLE kb_odd.archive_default PARTITION OF kb_odd.archive DEFAULT;
INSERT INTO kb_other.document VALUES (1, 'not of any base');
SET search_path = pg_temp, kb_other, kb_odd, public;
SELECT kb_add('odd', 'A wallaby among temporary tables.', source_key => 'temp') IS NOT NULL AS added;
INSERT INTO kb_odd.document (content, source_key) VALUES ('A second wallaby.', 'temp 2');
UPDATE kb_odd.document SET content = 'A third wallaby.', language = 'de' WHERE source_key = 'temp 2';
SELECT content FROM kb_hybrid_search('a third wallaby', 'odd', 1);
SELECT kb_reconcile('odd') AS repaired;
SELECT kb_configure('odd', title_weight => 3);
SELECT kb_create('late', model => 'fake/test', dimensions => 3) IS NOT NULL AS created;
SELECT kb_drop('late');
SELECT (SELECT count(*) FROM document) + (SELECT count(*) FROM chunk) + (SELECT count(*) FROM keyword_segment) + (SELECT count(*) FROM new_document) + (SELECT count(*) FROM setting) + (SELECT count(*) FROM knowledge_base) AS in_temporary_tables;
DELETE FROM kb_odd.document WHERE source_key = 'temp 2';
RESET search_path;
DROP TABLE pg_temp.document, pg_temp.chunk, pg_temp.embedding, pg_temp.keyword_segment, pg_temp.keyword_run, pg_temp.setting, pg_temp.knowledge_base, pg_temp.new_document, pg_temp.old_document, pg_temp.new_chunk, pg_temp.old_chunk;
DROP TABLE kb_odd.archive;
DROP SCHEMA kb_other CASCADE;
SELECT content FROM kb_search('wallaby', 'odd', 'keyword');

-- Many subtransactions, each with an error or a write that is kept or rolled back.
DO $$
DECLARE kept int := 0;
BEGIN
    FOR n IN 1..200 LOOP
        BEGIN
            PERFORM public.kb_add('odd', 'Loop ' || n, source_key => 'loop ' || n % 7);
            PERFORM count(*) FROM public.kb_hybrid_search('loop ' || n, 'odd', 3);
            CASE n % 4
                WHEN 0 THEN PERFORM 1 / 0;
                WHEN 1 THEN PERFORM public.kb_add('odd', 'x', metadata => '[]');
                WHEN 2 THEN PERFORM public.kb_hybrid_search('x', 'odd', query_embedding => '[1]');
                ELSE kept := kept + 1;
            END CASE;
        EXCEPTION WHEN division_by_zero OR invalid_parameter_value OR data_exception THEN
            NULL;
        END;
    END LOOP;
    RAISE WARNING '% kept', kept;
END
$$;
SELECT content FROM kb_odd.chunk WHERE content LIKE 'Loop%' ORDER BY content;
SELECT kb_reconcile('odd') AS repaired;

-- Cursors over searches, even after the commit, and left open.
BEGIN;
DECLARE held SCROLL CURSOR WITH HOLD FOR SELECT content FROM kb_search('wallaby loop', 'odd', 'keyword', 3);
DECLARE open CURSOR FOR SELECT (kb_search('wallaby', 'odd', 'keyword', 3)).content;
FETCH 1 FROM open;
DELETE FROM kb_odd.document WHERE source_key LIKE 'loop%';
COMMIT;
FETCH LAST FROM held;
FETCH FIRST FROM held;
CLOSE held;
SELECT (kb_search('wallaby', 'odd', 'keyword')).content LIMIT 1;
SELECT content FROM (SELECT (kb_chunk(repeat('Some words. ', 1000), 40, 0)).*) s LIMIT 1;
SELECT (SELECT k.content FROM kb_chunk(o.content, 40, 0) k LIMIT 1) AS first FROM odd o WHERE n = 11;

-- A base that is created, used, and rolled back with its savepoint.
BEGIN;
SAVEPOINT s;
SELECT kb_create('brief', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('brief', 'A dunnart.') IS NOT NULL AS added;
SELECT content FROM kb_hybrid_search('dunnart', 'brief');
ROLLBACK TO s;
SELECT state FROM error_of($$SELECT kb_add('brief', 'x')$$);
SELECT kb_create('brief', model => 'fake/other', dimensions => 4) IS NOT NULL AS created;
SELECT kb_add('brief', 'Another dunnart.') IS NOT NULL AS added;
SAVEPOINT t;
SELECT kb_configure('brief', chunk_size => 10, chunk_overlap => 0, dimensions => 5);
SELECT content FROM kb_hybrid_search('dunnart', 'brief');
ROLLBACK TO t;
SELECT content FROM kb_hybrid_search('dunnart', 'brief');
SELECT kb_reconcile('brief') AS repaired;
SELECT kb_drop('brief');
SELECT state FROM error_of($$SELECT * FROM kb_hybrid_search('dunnart', 'brief')$$);
ROLLBACK;
SELECT state FROM error_of($$SELECT * FROM kb_hybrid_search('dunnart', 'brief')$$);

-- Prepared statements survive changes to their base.
SELECT kb_create('moving', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
PREPARE put AS SELECT kb_add('moving', $1, source_key => 'k') IS NOT NULL AS added;
PREPARE ask AS SELECT content FROM kb_hybrid_search($1, 'moving');
EXECUTE put('A quoll.');
EXECUTE ask('quoll');
SELECT kb_configure('moving', dimensions => 5, chunk_size => 20, chunk_overlap => 0, text_config => 'simple', ranker => 'ts_rank');
EXECUTE ask('quoll');
EXECUTE put('Another quoll, in a text that is longer.');
EXECUTE ask('quoll');
SELECT kb_drop('moving');
SELECT state FROM error_of($$EXECUTE ask('quoll')$$);
SELECT kb_create('moving', model => 'fake/test', dimensions => 3000) IS NOT NULL AS created;
EXECUTE put('A third quoll.');
EXECUTE ask('quoll');
DEALLOCATE ALL;
SELECT kb_drop('moving');

-- SET ROLE and settings in a user's trigger apply only to the user's own code.
CREATE ROLE kb_regress_odd;
CREATE FUNCTION become() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN SET LOCAL ROLE kb_regress_odd; RETURN NULL; END $$;
CREATE TRIGGER become AFTER INSERT ON kb_odd.chunk FOR EACH STATEMENT EXECUTE FUNCTION become();
SELECT state FROM error_of($$SELECT kb_add('odd', 'The trigger changes roles.')$$);
SELECT current_user = session_user AS same;
DROP TRIGGER become ON kb_odd.chunk;
DROP FUNCTION become;
DROP ROLE kb_regress_odd;
SELECT kb_drop('odd');
