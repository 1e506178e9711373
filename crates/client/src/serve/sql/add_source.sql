SELECT {extension}.kb_add_url(knowledge_base => $1, url => $2, title => $3, content_type => $4, metadata => $5::pg_catalog.jsonb,
    crawl_depth => $6::pg_catalog.int4, max_pages => $7::pg_catalog.int4, exclude_patterns => $8, scrape_method => $9,
    auto_sync => $10, sync_interval => $11::pg_catalog.interval,
    agent_id => CASE WHEN $12 IS NOT NULL THEN {extension}.kb_agent($12) END)::pg_catalog.text
