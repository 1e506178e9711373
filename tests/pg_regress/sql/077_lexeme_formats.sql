-- Formats of lexemes: the settings, both formats side by side, and the change from one to the other. Only CALL kb_work() does the
-- work of workers.
SET client_min_messages = warning;
\set VERBOSITY terse
SELECT kb_create('new', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
CREATE VIEW lexeme_settings AS
SELECT l.name, l.fold_accents, l.part_weight, l.lexeme_format, k.fold_accents = l.fold_accents AND k.part_weight = l.part_weight AND k.lexeme_format = l.lexeme_format AS as_in_catalog
FROM kb_list() l JOIN kb_rag.knowledge_base k USING (id) ORDER BY name;
SELECT * FROM lexeme_settings;
SELECT name, value FROM kb_new.setting WHERE name IN ('fold_accents', 'part_weight', 'lexeme_format') ORDER BY name;
SELECT kb_create('plain', model => 'fake/test', dimensions => 8, fold_accents => false, part_weight => 0) IS NOT NULL AS created;
SELECT * FROM lexeme_settings;

-- Values that are not allowed.
SELECT * FROM error_of($$SELECT kb_create('x', part_weight => 1.01)$$);
SELECT * FROM error_of($$SELECT kb_configure('new', part_weight => -0.1)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('new', part_weight => 'NaN')$$);
SELECT * FROM error_of($$SELECT kb_configure('new', lexeme_format => 3)$$);
SELECT state, message FROM error_of($$SELECT kb_configure('new', lexeme_format => 0)$$);
SELECT * FROM error_of($$SELECT kb_configure('new', lexeme_format => 1)$$);
SELECT * FROM lexeme_settings;

-- The functions. Format 1 is that of the function with two arguments, whose output never changes.
WITH text (t) AS (VALUES ('The quick foxes, v2.14.3'), ('Straße café'), ('東京都の天気 PostgreSQL18'), (''), (NULL))
SELECT count(*) AS texts, bool_and(kb_rag.to_tsvector('english', t) = kb_rag.to_tsvector('english', t, 1)
    AND kb_rag.to_tsvector('english', t) = kb_rag.to_tsvector('english', t, 1, false)) AS same,
    bool_and(kb_rag.to_tsvector('english', t, 2) = kb_rag.to_tsvector('english', t, 2, true)
        AND kb_rag.to_tsvector('english', t, 2) = kb_rag.to_tsvector('english', t, 2, NULL)) AS folds_by_default
FROM text;
WITH text (t) AS (VALUES ('The quick foxes'), ('東京都の天気'), (''), (NULL))
SELECT count(*) AS texts, bool_and(kb_rag.chunk_tsv('english', a.t, b.t, c.t, 1, f)
    = setweight(kb_rag.to_tsvector('english', a.t), 'A') || setweight(kb_rag.to_tsvector('english', b.t), 'B') || kb_rag.to_tsvector('english', c.t)) AS same
FROM text a, text b, text c, (VALUES (true), (false), (NULL)) f (f);
SELECT kb_rag.to_tsvector(NULL, 'a', 2) IS NULL AND kb_rag.to_tsvector('english', 'a', NULL) IS NULL
    AND kb_rag.chunk_tsv(NULL, 'a', 'b', 'c', 2, true) IS NULL AND kb_rag.chunk_tsv('english', 'a', 'b', 'c', NULL, true) IS NULL AS nulls;
SELECT * FROM error_of($$SELECT kb_rag.to_tsvector('english', 'a', 3)$$);
SELECT state, message FROM error_of($$SELECT kb_rag.chunk_tsv('english', 'a', 'b', 'c', 0, true)$$);
SELECT state, message FROM error_of($$SELECT kb_rag.to_tsvector(1::oid::regconfig, 'a', 2)$$);
SELECT state FROM error_of($$SELECT kb_rag.to_tsvector('english', repeat('a ', 600000), 2)$$);
CREATE TABLE generated (t text, tsv tsvector GENERATED ALWAYS AS (kb_rag.to_tsvector('english', t, 2)) STORED, old tsvector GENERATED ALWAYS AS (kb_rag.to_tsvector('english', t)) STORED);
INSERT INTO generated VALUES ('Two foxes') RETURNING old;
DROP TABLE generated;

-- A base as kb_rag 0.3 left it.
SELECT kb_create('old', model => 'fake/test', dimensions => 8, text_config => 'english') AS old \gset
CREATE PROCEDURE make_old() LANGUAGE sql AS $$
    UPDATE kb_rag.knowledge_base SET lexeme_format = DEFAULT WHERE name = 'old';
    DELETE FROM kb_old.setting WHERE name IN ('fold_accents', 'part_weight', 'lexeme_format');
$$;
CALL make_old();
INSERT INTO kb_old.document (source_key, title, content, language)
SELECT 'old ' || n, 'Title ' || n, 'A numbat eats termites, number ' || n, NULL FROM generate_series(1, 4) n
UNION ALL SELECT 'old de', 'Häuser', 'Die Häuser der Ameisen', 'de';
CREATE VIEW formats AS SELECT text_config, count(*) FROM kb_old.chunk GROUP BY 1 ORDER BY 1;
CREATE VIEW found AS
SELECT q.query, (SELECT string_agg(source_key, ', ' ORDER BY source_key) FROM kb_search(q.query, 'old', 'keyword', 20, syntax => 'web') s JOIN kb_old.document d ON d.id = s.document_id) AS found
FROM (VALUES ('numbat'), ('haus'), ('"numbat eats"'), ('numbat -termites')) q (query);
SELECT * FROM formats;
SELECT * FROM found;
SELECT kb_reconcile('old');
SELECT kind FROM kb_rag.job;

-- In format 1 no accents are folded, whatever the setting is.
SELECT kb_configure('old', fold_accents => false);
SELECT kb_configure('old', fold_accents => true);
SELECT kind FROM kb_rag.job;

-- Format 2: what is written from now on has it at once, searches find both, and the rest follows.
CREATE TABLE before AS SELECT c.id, c.keyword_number, c.tsv, e.xmin AS vector FROM kb_old.chunk c JOIN kb_old.embedding e ON e.chunk_id = c.id;
SELECT kb_configure('old', lexeme_format => 2);
SELECT kind, target = :'old' AS of_base, failed, error FROM kb_rag.job;
INSERT INTO kb_old.document (source_key, content, language) VALUES ('new', 'Another numbat eats ants', NULL), ('new de', 'Viele Häuser', 'de');
SELECT * FROM formats;
SELECT * FROM found;
SELECT key AS text_config, sum(value::int8) AS chunks FROM kb_old.keyword_segment, jsonb_each_text(configs) GROUP BY key ORDER BY 1;
-- That is no damage, and the job is there already.
SELECT kb_reconcile('old');
SELECT kind FROM kb_rag.job;
-- A lost job is made again.
DELETE FROM kb_rag.job;
SELECT kb_reconcile('old');
SELECT kind FROM kb_rag.job;
-- What changes meanwhile gets the new format; deleted documents vanish.
UPDATE kb_old.document SET language = 'de' WHERE source_key = 'old 1';
DELETE FROM kb_old.document WHERE source_key = 'old 2';
SELECT * FROM formats;
CALL kb_work();
SELECT * FROM formats;
SELECT * FROM found;
SELECT kind FROM kb_rag.job WHERE kind <> 'merge';
SELECT count(*) AS chunks, count(*) FILTER (WHERE c.keyword_number > b.keyword_number) AS renumbered, count(*) FILTER (WHERE e.xmin = b.vector) AS same_vectors
FROM before b JOIN kb_old.chunk c USING (id) JOIN kb_old.embedding e ON e.chunk_id = c.id;
SELECT kb_reconcile('old');
SELECT key AS text_config, sum(value::int8) AS chunks FROM kb_old.keyword_segment, jsonb_each_text(configs) GROUP BY key HAVING sum(value::int8) <> 0 ORDER BY 1;
-- Nothing is queued for settings that are as they were.
SELECT kb_configure('old', lexeme_format => 2, fold_accents => true, part_weight => 0.25);
SELECT kind FROM kb_rag.job WHERE kind <> 'merge';
SELECT * FROM lexeme_settings WHERE name = 'old';

-- Accents; and back, before the worker has begun.
SELECT kb_configure('old', fold_accents => false);
SELECT kind FROM kb_rag.job WHERE kind <> 'merge';
INSERT INTO kb_old.document (source_key, content) VALUES ('plain', 'The last numbat eats here');
SELECT * FROM formats;
SELECT * FROM found;
SELECT kb_configure('old', fold_accents => true);
CALL kb_work();
SELECT * FROM formats;
SELECT kb_configure('old', fold_accents => false);
CALL kb_work();
SELECT * FROM formats;
SELECT kb_reconcile('old');

-- With a text search configuration everything is rewritten at once.
SELECT kb_configure('old', fold_accents => true, text_config => 'simple');
SELECT * FROM formats;
SELECT kind FROM kb_rag.job WHERE kind <> 'merge';
SELECT kb_configure('old', text_config => 'english');

-- kb_reindex changes the format too, before it returns; a job is not needed any more.
CALL make_old();
SELECT kb_reindex('old');
SELECT * FROM lexeme_settings WHERE name = 'old';
SELECT * FROM formats;
CALL make_old();
UPDATE kb_old.document SET content = content || '!';
SELECT * FROM formats;
SELECT kb_configure('old', lexeme_format => 2);
SELECT kb_reindex('old');
SELECT * FROM formats;
SELECT kind FROM kb_rag.job WHERE kind <> 'merge';
SELECT * FROM found;

-- Settings are read from the tables; without them the chunks show the format.
CALL make_old();
UPDATE kb_old.document SET content = content || '!';
DELETE FROM kb_rag.knowledge_base WHERE name = 'old';
SELECT kb_adopt('kb_old') = :'old' AS same_id;
SELECT * FROM lexeme_settings WHERE name = 'old';
SELECT kb_reconcile('old');
SELECT kind FROM kb_rag.job WHERE kind <> 'merge';
SELECT kb_reindex('old');
DELETE FROM kb_rag.knowledge_base WHERE name = 'old';
DELETE FROM kb_old.setting WHERE name = 'lexeme_format';
SELECT kb_adopt('kb_old') = :'old' AS same_id;
SELECT * FROM lexeme_settings WHERE name = 'old';
-- A restore in the middle of a change: the rest is queued again.
CALL make_old();
UPDATE kb_old.document SET content = content || '!' WHERE source_key = 'plain';
SELECT kb_configure('old', lexeme_format => 2);
DELETE FROM kb_rag.job;
DELETE FROM kb_rag.knowledge_base WHERE name = 'old';
SELECT kb_adopt('kb_old') = :'old' AS same_id;
SELECT kind FROM kb_rag.job WHERE kind <> 'merge';
CALL kb_work();
SELECT * FROM formats;
-- A number of a later version.
UPDATE kb_old.setting SET value = '3' WHERE name = 'lexeme_format';
DELETE FROM kb_rag.knowledge_base WHERE name = 'old';
SELECT * FROM error_of($$SELECT kb_adopt('kb_old')$$);
UPDATE kb_old.setting SET value = '2' WHERE name = 'lexeme_format';
SELECT kb_adopt('kb_old') = :'old' AS same_id;
UPDATE kb_rag.knowledge_base SET lexeme_format = 3 WHERE name = 'old';
SELECT * FROM error_of($$SELECT * FROM kb_search('numbat', 'old')$$);
SELECT kb_adopt('kb_old') = :'old' AS same_id;

-- A dropped text search configuration stops the change, and the reason is shown.
CREATE TEXT SEARCH CONFIGURATION lost (COPY = simple);
SELECT kb_configure('old', text_config => 'lost');
SELECT kb_configure('old', fold_accents => false);
ALTER TEXT SEARCH CONFIGURATION lost RENAME TO found;
DELETE FROM kb_rag.job WHERE kind = 'merge';
CALL kb_work(0);
SELECT reason FROM kb_rag.pause;
SELECT regexp_replace(paused, '[0-9:]+', '…', 'g') AS paused FROM kb_rag.status WHERE knowledge_base = 'old';
ALTER TEXT SEARCH CONFIGURATION found RENAME TO lost;
SELECT kb_configure('old', part_weight => 0.25);
CALL kb_work();
SELECT * FROM formats;
SELECT kb_configure('old', text_config => 'english');
DROP TEXT SEARCH CONFIGURATION lost;

DROP VIEW found, formats;
SELECT kb_drop('old'), kb_drop('new'), kb_drop('plain');
SELECT count(*) FROM kb_rag.job;
