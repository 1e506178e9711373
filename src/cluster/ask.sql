-- The function gets what is asked of its node only. Operators alone: Citus names functions of pg_catalog without their schema, and another
-- server may have one that fits better.
SELECT h.key, f.answer
FROM kb_rag.handle h, LATERAL kb_rag.{function}($1::jsonb || ($2::jsonb -> h.key::text)) f (answer)
WHERE {nodes}
