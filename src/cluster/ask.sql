-- The function gets what is asked of its node only.
SELECT h.key, f.answer
FROM kb_rag.handle h, LATERAL kb_rag.{function}($1::jsonb || pg_catalog.jsonb_build_array($2::jsonb -> h.key::text)) f (answer)
WHERE h.key IN ({keys})
