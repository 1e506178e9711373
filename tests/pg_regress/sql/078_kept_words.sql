-- Lexemes of words that a session keeps: they are those that PostgreSQL makes of the text, until a configuration changes.
SET client_min_messages = warning;
\set VERBOSITY terse
-- Texts of pieces that the parser reads in ways of their own, reproducible, with words that come again and words that come once.
CREATE TABLE texts AS
SELECT n, string_agg(piece || separator, '' ORDER BY i) AS t
FROM (
    SELECT n, i, pieces[1 + (hashint8(n::int8 * 64 + i) & 1048575) % cardinality(pieces)] AS piece,
        separators[1 + (hashint8(n::int8 * 64 + i + 1000000) & 1048575) % cardinality(separators)] AS separator
    FROM generate_series(1, 500) n, generate_series(1, 12) i,
        (SELECT ARRAY['the', 'The', 'running', 'Houses', 'THESE', 'a', 'A', 'I', 'x', '5', '2024', 'it''s', 'o''clock', '''quoted''', '(in', 'brackets)', '"so"', 'end.', 'end,', 'end:', 'end..', 'end...', 'no_', '_no', '*b*', '`c`',
            '.', '..', '...', '-', '--', '/', '//', '~', '+', '&', '<', '>', '#', '@', '_', '''', ':', '?!', '\', '|', '=', '%',
            './a', '../b/c', '.net', '~x', '~/y.txt', '-5', '+3.5', '-a', '1.5', '1,250', '1 250 000', '1e5', '5-6', '2.14.3', 'v2.14', '.5',
            '<b>', '</b>', '<a href="x y">', '<br', 'a>', '<!--', '-->', '<5', '&amp;', '&nbsp', 'R&D', 'AT&T', 'http://a.example/b?c=1', 'http://', 'www.example.com', 'x@example.com', 'x@',
            'sign-off', 'e-mail', 'non-', 'getUserById', 'max_value', 'C++', 'C#', 'AB-1234/5', 'M8x20', '25mm', 'A.', 'U.N.', 'e.g.', 'i.e.,', '$5', '10%', '10:30',
            'für', 'Straße', 'Häuser', 'Kündigungen', 'café', 'über-all', 'à', 'É', 'cafe' || U&'\0301', 'и', 'в', 'Я', 'Москва', 'ёлка', 'история', 'день', 'день…', '«да»', 'Αθήνα', 'حِكمة', 'हिन्दी', '東京都の天気', 'PostgreSQL18を', '데이터',
            '—', '–', '’s', 'don’t', '…', '½', '10⁵', 'ª', 'ß', U&'\00AD', U&'x\200By', U&'\FEFFfirst', U&'\2028', U&'a\0085b', E'v\x0bt', E'm\x01k', repeat('long', 20), repeat('x', 2100)]
            || (SELECT array_agg('word' || w) FROM generate_series(1, 20) w) AS pieces,
            ARRAY[' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', '  ', E'\n', E'\t', E'\r\n', U&'\00A0', U&'\3000', '', '', ',', '. ', '; '] AS separators) a
) p GROUP BY n;
-- One row for each text, configuration and folding.
CREATE VIEW made AS
SELECT n, config, folds, kb_rag.to_tsvector(config::regconfig, t, 2, folds) AS tsv
FROM texts, (VALUES ('english'), ('german'), ('russian'), ('simple')) c (config), (VALUES (true), (false)) f (folds);
SET kb_rag.test_limits = 'kept_words=0';
CREATE TABLE plain AS SELECT * FROM made ORDER BY config, folds, n;
-- Few words are kept, and those of fewer configurations than these; all of them; and those that the text before kept.
SET kb_rag.test_limits = 'kept_words=5';
CREATE TABLE few AS SELECT * FROM made ORDER BY n, folds, config;
RESET kb_rag.test_limits;
CREATE TABLE many AS SELECT * FROM made ORDER BY config, folds, n;
CREATE TABLE again AS SELECT * FROM made ORDER BY config, folds, n DESC;
SELECT count(*) AS texts, count(*) FILTER (WHERE few.tsv::text <> plain.tsv::text) AS few, count(*) FILTER (WHERE many.tsv::text <> plain.tsv::text) AS many,
    count(*) FILTER (WHERE again.tsv::text <> plain.tsv::text) AS again, avg(length(plain.tsv)) > 10 AS have_lexemes
FROM plain JOIN few USING (n, config, folds) JOIN many USING (n, config, folds) JOIN again USING (n, config, folds);
SELECT config, folds, left(t, 200) AS t, plain.tsv AS plain, many.tsv AS many FROM plain JOIN many USING (n, config, folds) JOIN texts USING (n) WHERE many.tsv::text <> plain.tsv::text LIMIT 3;

-- A letter does not depend on the words before it: à is a stop word without its accent, and vitamin A is none.
SELECT kb_rag.to_tsvector('english', 'taste à la vitamin A', 2) AS tsv;

-- What a session keeps is forgotten when a dictionary, a configuration, or what has its name changes; also when that is rolled back.
CREATE TEXT SEARCH DICTIONARY words (TEMPLATE = simple, STOPWORDS = english);
CREATE TEXT SEARCH CONFIGURATION changing (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION changing ALTER MAPPING FOR asciiword WITH words;
CREATE FUNCTION made() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(tsv, ' | ') FROM (SELECT kb_rag.to_tsvector('changing'::text::regconfig, t, 2)::text AS tsv FROM (VALUES ('the cats'), ('the cats'), ('the-cats the')) v (t)) m $$;
SELECT made();
ALTER TEXT SEARCH DICTIONARY words (STOPWORDS = german);
SELECT made();
BEGIN;
ALTER TEXT SEARCH CONFIGURATION changing ALTER MAPPING FOR asciiword WITH english_stem;
SELECT made();
ROLLBACK;
SELECT made();
ALTER TEXT SEARCH CONFIGURATION changing ALTER MAPPING REPLACE words WITH english_stem;
SELECT made();
DROP TEXT SEARCH CONFIGURATION changing;
CREATE TEXT SEARCH CONFIGURATION changing (COPY = pg_catalog.german);
SELECT made();
DROP TEXT SEARCH CONFIGURATION changing;
CREATE TEXT SEARCH CONFIGURATION changing (COPY = pg_catalog.english);
SELECT made();

-- Nothing is kept of configurations that read more than one word, or spaces.
CREATE TEXT SEARCH DICTIONARY phrases (TEMPLATE = thesaurus, DICTFILE = thesaurus_sample, DICTIONARY = english_stem);
ALTER TEXT SEARCH CONFIGURATION changing ALTER MAPPING FOR asciiword WITH phrases, english_stem;
SELECT kb_rag.to_tsvector('changing', t, 2) FROM (VALUES ('supernovae stars shine'), ('stars and supernovae'), ('supernovae stars shine'), ('bright supernovae stars')) v (t);
ALTER TEXT SEARCH CONFIGURATION changing ALTER MAPPING FOR asciiword WITH english_stem;
ALTER TEXT SEARCH CONFIGURATION changing ADD MAPPING FOR blank WITH simple;
SELECT kb_rag.to_tsvector('changing', t, 2) FROM (VALUES ('one  two'), ('one  two'), ('two (one)')) v (t);
