SELECT coalesce(pg_catalog.json_agg(s), '[]')::pg_catalog.text FROM {extension}.kb_stats($1) s
