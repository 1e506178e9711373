-- kb_expose with the layout knowledge: the URLs of a base, as applications keep a table of them.
SET client_min_messages = warning;
CREATE ROLE kb_test188_owner;
CREATE ROLE kb_test188_app;
CREATE ROLE kb_test188_tenant;
SELECT kb_grant_admin('kb_test188_owner'), kb_provider_grant('web', 'kb_test188_owner'), kb_provider_grant('github', 'kb_test188_owner');
SET ROLE kb_test188_owner;
SELECT kb_create('sites', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_grant('sites', 'kb_test188_app', 'write');
SELECT kb_add_url('sites', 'https://example.com/docs/', title => 'Docs', content_type => 'docs', crawl_depth => 3, exclude_patterns => '{/blog/*,/changelog/*}',
    auto_sync => true, sync_interval => '1 day 30 minutes', agent_id => kb_agent('official')) AS docs \gset
SELECT kb_add_url('sites', 'https://example.com/page', agent_id => kb_agent('regular')) AS page \gset
SELECT kb_add_url('sites', 'https://github.com/example/guide', content_type => 'github') AS repository \gset
INSERT INTO kb_sites.source (kind, location) VALUES ('directory', '/srv/docs');
INSERT INTO kb_sites.document (source_id, content, source_key) VALUES (:'docs', 'A page of the docs.', 'https://example.com/docs/'), (:'docs', 'Another page.', 'https://example.com/docs/a');
SELECT kb_expose('sites', 'knowledge'), kb_expose('sites', 'knowledge_chunks');
SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) AS columns, count(*) = count(col_description(a.attrelid, a.attnum)) AS commented
FROM pg_attribute a WHERE a.attrelid = 'kb_sites.knowledge'::regclass AND a.attnum > 0;
RESET ROLE;

-- Readers of the base read it.
SET ROLE kb_test188_app;
SELECT agent_id = kb_agent('official') AS official, title, url, content_type, status, error_message, embedding_id, chunk_count, scrape_method, crawl_depth, exclude_patterns, auto_sync, sync_interval_hours
FROM kb_sites.knowledge ORDER BY url;
SELECT url, status, chunk_count, created_at IS NOT NULL AS created, indexed_at, last_synced_at FROM kb_sites.knowledge WHERE agent_id = kb_agent('regular');
SELECT k.url, count(*) FROM kb_sites.knowledge k JOIN kb_sites.knowledge_chunks c ON c.knowledge_id = k.id GROUP BY 1;
SELECT count(*) FILTER (WHERE k.status <> s.status OR k.chunk_count <> s.chunks OR k.agent_id IS DISTINCT FROM s.agent_id OR k.crawl_depth <> s.crawl_depth OR k.exclude_patterns <> s.exclude_patterns) AS different, count(*)
FROM kb_sites.knowledge k JOIN kb_source_list() s ON s.source_id = k.id;
-- What a writer puts into the table breaks nothing.
UPDATE kb_sites.source SET options = '{"crawl_depth": "9999999999", "agent_id": [1], "exclude_patterns": {"a": 1}, "content_type": null}' WHERE id = :'page';
SELECT agent_id, content_type, crawl_depth, exclude_patterns FROM kb_sites.knowledge WHERE id = :'page';
UPDATE kb_sites.source SET options = '[]' WHERE id = :'page';
SELECT agent_id, content_type, scrape_method, crawl_depth, exclude_patterns FROM kb_sites.knowledge WHERE id = :'page';
SELECT state, message FROM error_of($$INSERT INTO kb_sites.knowledge (url) VALUES ('https://example.com/')$$);
SELECT state, message FROM error_of($$SELECT kb_expose('sites', 'knowledge')$$);
RESET ROLE;
SET ROLE kb_test188_tenant;
SELECT state FROM error_of('SELECT FROM kb_sites.knowledge');
RESET ROLE;

-- With row security, the URLs of documents that the reader sees.
SET ROLE kb_test188_owner;
SELECT kb_grant('sites', 'kb_test188_tenant', 'read');
ALTER TABLE kb_sites.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON kb_sites.document USING (source_key = 'https://example.com/docs/a' AND current_user = 'kb_test188_tenant');
SELECT count(*) AS of_the_owner FROM kb_sites.knowledge;
SET ROLE kb_test188_tenant;
SELECT url, chunk_count FROM kb_sites.knowledge;
SELECT location FROM kb_source_list('sites');
SET ROLE kb_test188_app;
SELECT count(*) AS of_another FROM kb_sites.knowledge;
RESET ROLE;
SET ROLE kb_test188_owner;
ALTER TABLE kb_sites.document DISABLE ROW LEVEL SECURITY;

-- It follows the base: a change of the model, another name, a repair, kb_revoke and kb_drop.
SELECT kb_configure('sites', model => 'fake/other', dimensions => 4) IS NOT NULL AS configured;
SELECT xmin AS before FROM pg_class WHERE oid = 'kb_sites.knowledge'::regclass \gset
SELECT kb_expose('sites', 'knowledge');
SELECT xmin = :'before' AS untouched, obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE oid = 'kb_sites.knowledge'::regclass;
SELECT kb_rename('sites', 'pages');
SELECT kb_expose('pages', 'knowledge');
RESET ROLE;
ALTER SCHEMA kb_sites RENAME TO kb_moved;
SET ROLE kb_test188_owner;
ALTER VIEW kb_moved.knowledge SET (security_invoker = false);
SELECT kb_expose('pages', 'knowledge');
SELECT reloptions FROM pg_class WHERE oid = 'kb_moved.knowledge'::regclass;
SELECT count(*) FROM kb_moved.knowledge;
SELECT kb_revoke('pages', 'kb_test188_app', 'read');
SET ROLE kb_test188_app;
SELECT state FROM error_of('SELECT FROM kb_moved.knowledge');
RESET ROLE;
SELECT kb_drop('pages');
SELECT count(*) FROM pg_class WHERE relname IN ('knowledge', 'knowledge_chunks');
SELECT kb_provider_revoke('web', 'kb_test188_owner'), kb_provider_revoke('github', 'kb_test188_owner');
DROP OWNED BY kb_test188_owner, kb_test188_app, kb_test188_tenant;
DROP ROLE kb_test188_owner, kb_test188_app, kb_test188_tenant;
