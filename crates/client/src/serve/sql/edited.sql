SELECT pg_catalog.row_to_json(d)::pg_catalog.text
FROM {extension}.kb_read(document_id => $1::pg_catalog.uuid, knowledge_base => $2) d
