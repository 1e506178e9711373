SELECT coalesce(pg_catalog.json_agg(d), '[]')::pg_catalog.text
FROM {extension}.kb_browse(knowledge_base => $1, source_type => $2, match_count => $3, match_offset => $4) d
