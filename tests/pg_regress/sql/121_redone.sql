-- What each setting of kb_configure rebuilds: the table in docs/operating.md, line by line.
SET client_min_messages = warning;
SELECT kb_create('redo', model => 'fake/a', dimensions => 8, chunk_size => 120, chunk_overlap => 0, chunk_strategy => 'text', embed => 'queued') IS NOT NULL AS created;
INSERT INTO kb_redo.document (title, content, language)
SELECT 'Text ' || n, (SELECT string_agg('Sentence ' || w || ' of text ' || n || '.', ' ' ORDER BY w) FROM generate_series(1, 12) w), CASE n WHEN 1 THEN 'de' END
FROM generate_series(1, 3) n;
INSERT INTO kb_redo.document (title, content) VALUES ('Short', 'A short text.');
CALL kb_work();
-- No view: it would keep the table of vectors from being replaced.
CREATE FUNCTION state() RETURNS TABLE (part text, id text, value text) LANGUAGE sql AS $$
    SELECT 'documents' AS part, id::text AS id, ctid::text AS value FROM kb_redo.document
    UNION ALL SELECT 'chunks', id::text, content FROM kb_redo.chunk
    UNION ALL SELECT 'lexemes', id::text, text_config || tsv::text FROM kb_redo.chunk
    UNION ALL SELECT 'vectors', chunk_id::text, tableoid::text || ctid::text FROM kb_redo.embedding
    UNION ALL SELECT 'vector index', relname::text, relfilenode::text FROM pg_class WHERE relnamespace = 'kb_redo'::regnamespace AND relname ~ '^embedding_(hnsw|ivfflat)$'
    UNION ALL SELECT 'document table', 'document', relfilenode::text FROM pg_class WHERE oid = 'kb_redo.document'::regclass
    UNION ALL SELECT 'keyword index', 'segments', string_agg(id::text, ' ' ORDER BY id) FROM kb_redo.keyword_segment
$$;
CREATE TABLE before AS SELECT * FROM state();
-- Parts with the number of their rows that differ.
CREATE FUNCTION redone() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    SELECT coalesce(string_agg(part || ' ' || n, ', ' ORDER BY part), 'nothing') INTO found
    FROM (
        SELECT part, count(*) AS n
        FROM (SELECT part, id, value FROM state() EXCEPT SELECT part, id, value FROM before) s
        GROUP BY part
        UNION ALL
        SELECT part, 0 FROM before b WHERE part = 'vector index' AND NOT EXISTS (SELECT FROM state() s WHERE s.part = b.part)
    ) p;
    DELETE FROM before;
    INSERT INTO before SELECT * FROM state();
    RETURN found;
END $$;
SELECT part, count(*) FROM before GROUP BY part ORDER BY part;

-- Nothing.
SELECT kb_configure('redo', description => 'd', ranker => 'ts_rank', bm25_k1 => 2, bm25_b => 0.5, title_weight => 3, heading_weight => 2,
    match_threshold => 0.1, answer_threshold => 0.2, part_weight => 0.1, log_searches => true);
SELECT redone();
-- Missing vectors alone.
SELECT kb_configure('redo', embed => 'off');
SELECT redone();
INSERT INTO kb_redo.document (title, content) VALUES ('Late', 'Without a vector.');
SELECT redone();
SELECT kb_configure('redo', embed => 'queued');
CALL kb_work();
SELECT redone();
-- Chunks whose text changes, with their vectors: the short texts stay.
SELECT kb_configure('redo', chunk_size => 200);
CALL kb_work();
SELECT redone();
-- Lexemes of documents without a language of their own.
SELECT kb_configure('redo', text_config => 'simple');
SELECT redone();
-- All lexemes.
SELECT kb_configure('redo', fold_accents => false);
CALL kb_work();
SELECT redone();
-- The vector index.
SELECT kb_configure('redo', index_method => 'none');
SELECT redone();
SELECT kb_configure('redo', index_method => 'hnsw');
SELECT redone();
-- The table document.
SELECT kb_configure('redo', upsert_key => true);
SELECT redone();
-- All vectors; chunks only of documents that the model cuts differently.
SELECT kb_configure('redo', model => 'fake/b', dimensions => 8);
CALL kb_work();
SELECT redone();
DROP FUNCTION redone;
DROP FUNCTION state;
DROP TABLE before;
SELECT kb_drop('redo');
