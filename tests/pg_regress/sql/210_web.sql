-- kb_add_url, kb_source_sync, kb_source_list and kb_source_drop: arguments, privileges, and what is shown. Nothing is fetched
-- here: no worker runs.
SET client_min_messages = warning;
SELECT kb_create('web', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SET client_min_messages = notice;

-- A URL that cannot be fetched is refused at once.
SELECT url, e.state, e.message, e.hint FROM (VALUES (''), ('example.com'), ('ftp://example.com/'), ('https://user:pass@example.com/'), ('https://'), ('https://exa mple.com/'),
    ('http://localhost/'), ('http://127.0.0.1:8080/'), ('http://2130706433/'), ('http://[::1]/'), ('http://169.254.169.254/latest/meta-data/'), ('http://intranet/'), ('http://printer.local/')) u (url),
    error_of(format('SELECT kb_add_url(%L, %L)', 'web', url)) e;
SELECT call, e.state, e.message, e.hint FROM (VALUES
    ($$SELECT kb_add_url('nowhere', 'https://example.com/')$$),
    ($$SELECT kb_add_url(NULL, 'https://example.com/')$$),
    ($$SELECT kb_add_url('web', NULL)$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', content_type => 'video')$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', metadata => '[]')$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', crawl_depth => -1)$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', max_pages => 0)$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', exclude_patterns => '{blog}')$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', exclude_patterns => '{https://example.com/blog}')$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', scrape_method => 'firecrawl')$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', scrape_method => 'openai')$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', sync_interval => '1 minute')$$),
    ($$SELECT kb_add_url('web', 'https://example.com/', content_type => 'github')$$),
    ($$SELECT kb_add_url('web', 'https://github.com/pgvector/pgvector', content_type => 'github', scrape_method => 'x')$$),
    ($$SELECT kb_source_sync('a0000000-0000-0000-0000-000000000001')$$),
    ($$SELECT kb_source_drop('a0000000-0000-0000-0000-000000000001')$$),
    ($$SELECT kb_source_drop(NULL)$$),
    ($$SELECT * FROM kb_source_list('nowhere')$$),
    ($$SELECT kb_embed('x', 'web/x')$$),
    ($$SELECT kb_create('another', model => 'github/x')$$),
    ($$SELECT kb_provider_set('web', base_url => 'https://example.com')$$),
    ($$SELECT kb_provider_set('web', api_key => 'env:KEY')$$),
    ($$SELECT kb_provider_set('web', headers => '{"authorization": "Bearer secret:x"}')$$),
    ($$SELECT kb_provider_set('web', kind => 'openai')$$)) c (call), error_of(call) e;

-- What cannot be added to a time, or leads back. Infinite ones are an error of PostgreSQL before 17.
SELECT i AS sync_interval, e.state, e.message, e.hint FROM unnest(ARRAY['0', '-1 day', '899 seconds', '10 years 1 month', '178000000 years', '178000000 years -65000000 days', '2000000000 days -65000000 months',
    '1 month -29 days', '1 day -1 hour', '-1 year 800 days', '2562047788 hours', '87700 hours']) i, error_of(format('SELECT kb_add_url(%L, %L, sync_interval => %L)', 'web', 'https://example.com/', i)) e;
SELECT e.state IN ('22023', '22007') AS refused FROM unnest(ARRAY['infinity', '-infinity']) i, error_of(format('SELECT kb_add_url(%L, %L, sync_interval => %L)', 'web', 'https://example.com/', i)) e;
BEGIN;
SELECT i, kb_add_url('web', 'https://example.com/', auto_sync => true, sync_interval => i::interval) IS NOT NULL AS added FROM unnest(ARRAY['15 minutes', '1 month 3 days 2 hours', '10 years', '87600 hours', '3652 days']) i;
ROLLBACK;

-- A password is not repeated, however wrong the URL is.
SELECT e.state, e.message FROM unnest(ARRAY['https://user:pw@example.com/', 'https://user:pw@exa mple.com/', 'https://user:p/w@example.com/', 'ftp://user:pw@example.com/', 'user:pw@example.com', '//user:pw@example.com/',
    'https:user:pw@example.com', 'https://user:pw@example.com:99999/', 'https://:pw@example.com/']) u (url), error_of(format('SELECT kb_add_url(%L, %L)', 'web', url)) e;
SELECT count(*) AS repeated FROM unnest(ARRAY['https://user:pw@example.com/', 'https://user:pw@exa mple.com/', 'https://user:p/w@example.com/', 'ftp://user:pw@example.com/', 'https:user:pw@example.com']) u (url), error_of(format('SELECT kb_add_url(%L, %L)', url, 'x')) e WHERE e::text ~ 'p/?w@';

-- One source for a URL and an agent, however the URL is written; its settings are those of the last call.
SELECT kb_add_url('web', ' HTTPS://Example.com:443/docs/#top ', title => 'Docs', content_type => 'docs') AS source \gset
SELECT kb_add_url('web', 'https://example.com/docs/', title => 'The docs', content_type => 'docs', crawl_depth => 3, exclude_patterns => '{/docs/old/*,*.pdf}', metadata => '{"team": "a"}',
    auto_sync => true, sync_interval => '6 hours') = :'source' AS same;
SELECT kb_add_url('web', 'https://example.com/docs/', agent_id => 'a0000000-0000-0000-0000-000000000001') <> :'source' AS another;
SELECT kb_add_url('web', 'https://github.com/pgvector/pgvector/tree/master/doc', content_type => 'github') IS NOT NULL AS added;
SELECT agent_id IS NOT NULL AS of_agent, kind, location, title, content_type, scrape_method, crawl_depth, exclude_patterns, metadata, status, error_message, documents, chunks, auto_sync, sync_interval, last_synced_at, next_sync_at
FROM kb_source_list('web') ORDER BY created_at;
SELECT count(*) FROM kb_source_list(agent_id => 'a0000000-0000-0000-0000-000000000001');
SELECT knowledge_base, location, status, documents, rows_read, rows_before, kind FROM kb_rag.source_status ORDER BY 2, 3;
SELECT kind, count(*) FROM kb_rag.job GROUP BY 1;
SELECT kind, location, title, auto_sync, sync_interval, status FROM kb_web.source ORDER BY id;
SELECT kb_source_sync(:'source');
-- None is due: an explicit call takes those of a restored database, too, but these wait already.
SELECT kb_source_sync();

-- Fetching takes the privilege to write to the base, and a grant on the provider.
CREATE ROLE kb_web_reader;
CREATE ROLE kb_web_writer;
SELECT kb_grant('web', 'kb_web_reader', 'read'), kb_grant('web', 'kb_web_writer', 'write');
SET ROLE kb_web_writer;
SELECT state, message, detail, hint FROM error_of($$SELECT kb_add_url('web', 'https://example.org/')$$);
RESET ROLE;
SELECT kb_provider_grant('web', 'kb_web_reader'), kb_provider_grant('web', 'kb_web_writer');
SET ROLE kb_web_reader;
SELECT state, message, detail, hint FROM error_of($$SELECT kb_add_url('web', 'https://example.org/')$$);
SELECT state, message FROM error_of(format('SELECT kb_source_sync(%L)', :'source'));
SELECT state, message FROM error_of(format('SELECT kb_source_drop(%L)', :'source'));
SELECT location FROM kb_source_list('web') ORDER BY 1;
SELECT kb_source_sync();
SET ROLE kb_web_writer;
SELECT kb_add_url('web', 'https://example.org/') IS NOT NULL AS added;
-- A role that may not read the base does not learn of its sources.
RESET ROLE;
CREATE ROLE kb_web_stranger;
SELECT kb_provider_grant('web', 'kb_web_stranger');
SET ROLE kb_web_stranger;
SELECT state, replace(message, :'source', '<id>') AS message FROM error_of(format('SELECT kb_source_sync(%L)', :'source'));
SELECT state, replace(message, :'source', '<id>') AS message FROM error_of(format('SELECT kb_source_drop(%L)', :'source'));
SELECT count(*) FROM kb_source_list();
SELECT count(*) FROM kb_rag.source_status;
RESET ROLE;

-- Where policies tell tenants apart, nobody fetches into another's metadata, nor changes what another has added.
ALTER TABLE kb_web.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenants ON kb_web.document USING (metadata->>'tenant' = CURRENT_USER);
CREATE ROLE kb_web_tenant;
SELECT kb_grant('web', 'kb_web_tenant', 'write'), kb_provider_grant('web', 'kb_web_tenant');
SET ROLE kb_web_tenant;
SELECT state, message FROM error_of($$SELECT kb_add_url('web', 'https://example.net/', metadata => '{"tenant": "kb_web_writer"}')$$);
SELECT kb_add_url('web', 'https://example.net/', metadata => '{"tenant": "kb_web_tenant"}') AS tenant \gset
SELECT location, status FROM kb_source_list('web');
SELECT state, message, hint FROM error_of($$SELECT kb_add_url('web', 'https://example.org/', metadata => '{"tenant": "kb_web_tenant"}')$$);
SELECT kb_add_url('web', 'https://example.org/', metadata => '{"tenant": "kb_web_tenant"}', agent_id => 'a0000000-0000-0000-0000-000000000002') IS NOT NULL AS added;
SET ROLE kb_web_writer;
SELECT location, status FROM kb_source_list('web');
SELECT state, replace(message, :'tenant', '<id>') AS message FROM error_of(format('SELECT kb_source_sync(%L)', :'tenant'));
SELECT state, replace(message, :'tenant', '<id>') AS message FROM error_of(format('SELECT kb_source_drop(%L)', :'tenant'));
SET ROLE kb_web_tenant;
SELECT kb_source_sync(:'tenant');
SELECT kb_source_drop(:'tenant');
RESET ROLE;
ALTER TABLE kb_web.document DISABLE ROW LEVEL SECURITY;
DROP POLICY tenants ON kb_web.document;

-- A row of the table source that a writer forges is shown, and fetches nothing.
INSERT INTO kb_web.source (kind, location, auto_sync, sync_interval) VALUES ('url', 'http://169.254.169.254/', true, '1 second');
SELECT kb_source_sync();
SELECT kind, location, status, next_sync_at FROM kb_source_list('web') WHERE location ~ '169';
SELECT count(*) FROM kb_rag.web_source WHERE location ~ '169';

-- Tools name the file that a document was made from, whatever its key is.
SELECT kb_add_file('web', 'Green tea needs three minutes.', 'guides/tea guide.txt', source_key => 'https://example.com/tea?version=2') AS tea \gset
SELECT s->>'source' AS source, s->>'filename' AS filename FROM jsonb_array_elements(kb_call_tool('search_web', '{"query": "green tea"}')->'sources') s;
SELECT kb_delete(:'tea');

-- A source goes with its documents, chunks and jobs; kb_drop takes the rest.
INSERT INTO kb_web.document (source_id, source_key, content) VALUES (:'source', 'https://example.com/docs/', 'A page.');
SELECT kb_source_drop(:'source');
SELECT count(*) FROM kb_web.document;
SELECT count(*) FROM kb_web.chunk;
SELECT count(*) FROM kb_rag.job WHERE target = :'source';
SELECT kb_agent_drop('a0000000-0000-0000-0000-000000000001', delete_documents => true);
SELECT location, agent_id FROM kb_source_list('web') ORDER BY 1;
SET client_min_messages = warning;
SELECT kb_drop('web');
SELECT (SELECT count(*) FROM kb_rag.web_source), (SELECT count(*) FROM kb_rag.web_page), (SELECT count(*) FROM kb_rag.web_schedule), (SELECT count(*) FROM kb_rag.job);
SELECT kb_provider_revoke('web', r) FROM unnest('{kb_web_reader,kb_web_writer,kb_web_stranger,kb_web_tenant}'::text[]) r;
DROP ROLE kb_web_reader, kb_web_writer, kb_web_stranger, kb_web_tenant;
