SELECT pg_catalog.json_build_object('document_id', {extension}.kb_add(knowledge_base => $1, content => $2, title => $3,
    source_key => $4, source_type => $5, metadata => $6::pg_catalog.jsonb, mime_type => $7, language => $8))::pg_catalog.text
