SELECT * FROM kb_rag.web_page WHERE source_id = $1 AND url = $2
