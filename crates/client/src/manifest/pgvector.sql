-- pgvector in this database: its schema, its version, and its types.
SELECT quote_ident(n.nspname), e.extversion,
    (SELECT t.oid FROM pg_type t WHERE t.typnamespace = n.oid AND t.typname = 'vector'),
    (SELECT t.oid FROM pg_type t WHERE t.typnamespace = n.oid AND t.typname = 'halfvec')
FROM pg_extension e
JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'vector'
