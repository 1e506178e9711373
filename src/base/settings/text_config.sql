SELECT pg_catalog.format('%I.%I', n.nspname, c.cfgname)
FROM pg_catalog.pg_ts_config c
JOIN pg_catalog.pg_namespace n ON n.oid = c.cfgnamespace
WHERE c.oid = coalesce($1, pg_catalog.get_current_ts_config())
