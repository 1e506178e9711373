-- How a statement ends: its SQLSTATE, message, detail and hint. Used by the tests that follow.
CREATE FUNCTION error_of(statement text, OUT state text, OUT message text, OUT detail text, OUT hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    state := '00000';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
        detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END
$$;
-- The words of a tsvector, without the lexemes of their parts: what rankers count as its length.
CREATE FUNCTION without_parts(tsv tsvector) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
    SELECT ts_delete(tsv, ARRAY(SELECT lexeme FROM unnest(tsv) WHERE right(lexeme, 1) = chr(1)))
$$;
-- The tests embed everything in their statements; 145_pipeline tests what is left to workers, and does their work by hand.
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET kb_rag.inline_chunks = 1000000', current_database());
    EXECUTE format('ALTER DATABASE %I SET kb_rag.workers = 0', current_database());
END
$$;
-- Hints name the installed models. Where there are others, the tests use a directory that only has the default one.
\getenv models KB_RAG_REGRESS_MODELS
\if :{?models}
ALTER DATABASE :"DBNAME" SET kb_rag.model_path = :'models';
\endif
SELECT * FROM error_of('SELECT 1/0');
SELECT * FROM error_of('SELECT 1');
