SELECT pg_catalog.json_build_object('queued', {extension}.kb_source_sync())::pg_catalog.text
