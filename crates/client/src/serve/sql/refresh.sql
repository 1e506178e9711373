SELECT CASE WHEN {extension}.kb_refresh(document_id => $1::pg_catalog.uuid, knowledge_base => $2) THEN 'refreshed' END
