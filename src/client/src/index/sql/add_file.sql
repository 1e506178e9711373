SELECT {extension}.kb_add_file(knowledge_base => $1, file => $2, filename => $3, source_key => $4, metadata => $5, language => $6,
    source_id => $7)
