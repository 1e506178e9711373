SELECT pg_catalog.json_build_object('document_id', {extension}.kb_add_file(knowledge_base => $1, file => $2, filename => $3,
    title => $4, source_key => $5, source_type => $6, metadata => $7::pg_catalog.jsonb, mime_type => $8, language => $9))::pg_catalog.text
