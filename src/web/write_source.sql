INSERT INTO kb_rag.web_source (source_id, knowledge_base_id, agent_id, location, title, content_type, scrape_method, crawl_depth,
    max_pages, exclude_patterns, metadata, requested_by, auto_sync, sync_interval)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT ON CONSTRAINT web_source_location_key DO UPDATE
SET title = excluded.title, content_type = excluded.content_type, scrape_method = excluded.scrape_method,
    crawl_depth = excluded.crawl_depth, max_pages = excluded.max_pages, exclude_patterns = excluded.exclude_patterns,
    metadata = excluded.metadata, requested_by = excluded.requested_by, auto_sync = excluded.auto_sync,
    sync_interval = excluded.sync_interval
RETURNING source_id
