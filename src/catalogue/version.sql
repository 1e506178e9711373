SELECT extversion, oid FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'kb_rag'
