INSERT INTO kb_rag.web_schedule (source_id, next_sync_at) VALUES ($1, CASE WHEN $2 THEN now() + $3 END)
ON CONFLICT (source_id) DO UPDATE SET is_crawling = false, is_forced = false, is_due = false, remote_crawl = NULL, next_sync_at = excluded.next_sync_at
