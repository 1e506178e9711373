UPDATE kb_rag.web_page SET crawl = $2 WHERE source_id = $1 AND crawl < $2
