INSERT INTO kb_rag.web_schedule (source_id, is_crawling) VALUES ($1, true)
ON CONFLICT (source_id) DO UPDATE SET is_crawling = true, is_complete = true
