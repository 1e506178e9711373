UPDATE kb_rag.web_page SET status = 'pending', etag = NULL, last_modified = NULL WHERE id = $1
