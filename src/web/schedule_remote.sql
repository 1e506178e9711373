UPDATE kb_rag.web_schedule SET remote_crawl = $2 WHERE source_id = $1
