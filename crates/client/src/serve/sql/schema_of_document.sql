-- The schema of the base that has a document.
SELECT pg_catalog.quote_ident(l.schema)
FROM {extension}.kb_read(document_id => $1::pg_catalog.uuid, level => 'abstract', knowledge_base => $2) d
JOIN {extension}.kb_list() l ON l.name = d.knowledge_base
