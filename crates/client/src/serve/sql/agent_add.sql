-- The agent gets its own documents of the base, unless something else was attached to it before. To follow links is to read a site.
WITH attached AS MATERIALIZED (
    SELECT CASE WHEN NOT EXISTS (SELECT FROM {extension}.kb_agent_list($1) a WHERE a.agent_id = {extension}.kb_agent($2))
        THEN {extension}.kb_attach_agent({extension}.kb_agent($2), $1,
            pg_catalog.jsonb_build_object('agent_id', {extension}.kb_agent($2)))::pg_catalog.text END AS done
)
SELECT {extension}.kb_add_url(knowledge_base => $1, url => $3, title => $4,
    content_type => coalesce($5, CASE WHEN $6 > 1 THEN 'docs' END), crawl_depth => $6::pg_catalog.int4,
    exclude_patterns => $7, scrape_method => $8, auto_sync => $9,
    sync_interval => pg_catalog.make_interval(hours => $10::pg_catalog.int4), max_pages => $11::pg_catalog.int4,
    metadata => $12::pg_catalog.jsonb, agent_id => {extension}.kb_agent($2))::pg_catalog.text
FROM attached
