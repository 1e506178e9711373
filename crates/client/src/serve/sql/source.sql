SELECT pg_catalog.row_to_json(s)::pg_catalog.text FROM {extension}.kb_source_list() s WHERE s.source_id = $1::pg_catalog.uuid
