SELECT CASE WHEN {extension}.kb_delete(document_id => $1::pg_catalog.uuid, knowledge_base => $2) THEN 'deleted' END
