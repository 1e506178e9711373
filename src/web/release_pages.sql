UPDATE kb_rag.web_page SET document_id = NULL, etag = NULL, last_modified = NULL WHERE source_id = $1 AND id = ANY ($2)
