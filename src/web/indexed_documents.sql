SELECT document_id FROM kb_rag.web_page WHERE source_id = $1 AND status = $2 AND document_id IS NOT NULL
