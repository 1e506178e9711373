pg_catalog.json_build_object('id', s.source_id, 'agent_id', s.agent_id, 'title', s.title, 'url', s.location,
    'content_type', s.content_type, 'status', s.status, 'error_message', s.error_message, 'chunk_count', s.chunks,
    'created_at', s.created_at, 'indexed_at', s.indexed_at, 'scrape_method', s.scrape_method, 'crawl_depth', s.crawl_depth,
    'exclude_patterns', s.exclude_patterns, 'auto_sync', s.auto_sync,
    'sync_interval_hours', (extract(epoch FROM s.sync_interval) / 3600)::float8, 'last_synced_at', s.last_synced_at)
