SELECT pg_catalog.json_build_object('queued', {extension}.kb_retry($1))::pg_catalog.text
