SELECT 'dropped' FROM (SELECT {extension}.kb_source_drop(source_id => $1::pg_catalog.uuid)) dropped
