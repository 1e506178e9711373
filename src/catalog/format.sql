SELECT e.extversion, e.oid
FROM pg_catalog.pg_extension e WHERE e.extname OPERATOR(pg_catalog.=) 'kb_rag'
