INSERT INTO kb_rag.web_schedule (source_id) VALUES ($1)
ON CONFLICT (source_id) DO UPDATE SET next_sync_at = NULL, is_forced = false, is_due = false, remote_crawl = NULL
