SELECT id, url, document_id, status, crawl, error, depth, {document_key} FROM kb_rag.web_page WHERE source_id = $1 ORDER BY depth, id
