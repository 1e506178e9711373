SELECT * FROM kb_rag.web_page WHERE id = $1
