SELECT pg_catalog.json_build_object('total', coalesce(pg_catalog.sum(s.documents), 0), 'chunks', coalesce(pg_catalog.sum(s.chunks), 0),
    'failed', coalesce(pg_catalog.sum(s.failed), 0),
    'bySourceType', coalesce(pg_catalog.json_object_agg(s.source_type, s.documents ORDER BY s.source_type), '{}'))::pg_catalog.text
FROM {extension}.kb_stats($1) s
