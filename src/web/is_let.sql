SELECT EXISTS (SELECT FROM kb_rag.web_try WHERE source_id = $1 AND is_open)
