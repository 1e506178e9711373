SELECT quote_ident(n.nspname)
FROM pg_extension e
JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'kb_rag'
