UPDATE kb_rag.web_source SET crawl = crawl + 1 WHERE source_id = $1 RETURNING crawl
