-- The version of kb_rag in this database and the schema of its functions.
SELECT e.extversion, pg_catalog.quote_ident(n.nspname)
FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'kb_rag'
