SELECT e.extversion, e.oid, pg_catalog.to_regprocedure('kb_rag.format()') IS NOT NULL
FROM pg_catalog.pg_extension e WHERE e.extname OPERATOR(pg_catalog.=) 'kb_rag'
