-- Fails with the reason why a base cannot be used.
SELECT pg_catalog.count(*) FROM {extension}.kb_stats($1)
