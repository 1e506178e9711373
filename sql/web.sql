-- Documents from the web: kb_add_url, and what workers know of its pages. Written by these alone: every writer of a knowledge
-- base may write its table source, so nothing there is ever obeyed. No privilege is granted.

CREATE TABLE kb_rag.web_source (
    source_id uuid PRIMARY KEY,
    knowledge_base_id uuid NOT NULL,
    agent_id uuid,
    location text NOT NULL,
    title text,
    content_type text NOT NULL,
    scrape_method text NOT NULL,
    crawl_depth int NOT NULL,
    max_pages int NOT NULL,
    exclude_patterns text[] NOT NULL,
    metadata jsonb NOT NULL,
    requested_by text NOT NULL,
    auto_sync boolean NOT NULL,
    sync_interval interval NOT NULL,
    crawl int NOT NULL DEFAULT 0,
    scope text,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    CONSTRAINT web_source_location_key UNIQUE NULLS NOT DISTINCT (knowledge_base_id, agent_id, location)
);
COMMENT ON TABLE kb_rag.web_source IS 'the URLs that documents are made from, by knowledge base; written by kb_add_url, listed by kb_source_list()';
COMMENT ON COLUMN kb_rag.web_source.source_id IS 'the row in the table source of the knowledge base';
COMMENT ON COLUMN kb_rag.web_source.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.web_source.agent_id IS 'the agent that it was added for; NULL for none';
COMMENT ON COLUMN kb_rag.web_source.location IS 'the URL';
COMMENT ON COLUMN kb_rag.web_source.title IS 'title of the source';
COMMENT ON COLUMN kb_rag.web_source.content_type IS 'webpage: one page; docs: a site, by its links; github: a repository';
COMMENT ON COLUMN kb_rag.web_source.scrape_method IS 'basic, or the name of a provider of kind firecrawl';
COMMENT ON COLUMN kb_rag.web_source.crawl_depth IS 'how many links are followed from the URL to a page at most';
COMMENT ON COLUMN kb_rag.web_source.max_pages IS 'number of pages or files at most';
COMMENT ON COLUMN kb_rag.web_source.exclude_patterns IS 'globs of paths that are left out';
COMMENT ON COLUMN kb_rag.web_source.metadata IS 'metadata of the documents';
COMMENT ON COLUMN kb_rag.web_source.requested_by IS 'the role that called kb_add_url, whose privileges are checked at each fetch';
COMMENT ON COLUMN kb_rag.web_source.auto_sync IS 'whether it is fetched again when sync_interval has passed';
COMMENT ON COLUMN kb_rag.web_source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_rag.web_source.crawl IS 'number of the last crawl';
COMMENT ON COLUMN kb_rag.web_source.scope IS 'the URL that location redirects to: links below it are followed';
COMMENT ON COLUMN kb_rag.web_source.created_at IS 'when it was added';

CREATE TABLE kb_rag.web_page (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    source_id uuid NOT NULL,
    url text NOT NULL,
    depth int NOT NULL,
    etag text,
    last_modified text,
    status text NOT NULL DEFAULT 'pending' CHECK (status OPERATOR(pg_catalog.=) ANY (ARRAY['pending', 'indexed', 'skipped', 'failed', 'gone'])),
    error text,
    document_id uuid,
    crawl int NOT NULL,
    links text[] NOT NULL DEFAULT '{}',
    document_key text,
    parted_from uuid,
    CONSTRAINT web_page_url_key UNIQUE (source_id, url)
);
CREATE INDEX web_page_document_id ON kb_rag.web_page (document_id);
COMMENT ON TABLE kb_rag.web_page IS 'the pages of URLs that documents are made from; written by workers';
COMMENT ON COLUMN kb_rag.web_page.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_rag.web_page.source_id IS 'the source';
COMMENT ON COLUMN kb_rag.web_page.url IS 'the URL that is fetched';
COMMENT ON COLUMN kb_rag.web_page.depth IS 'how many links lead to it from the URL of the source';
COMMENT ON COLUMN kb_rag.web_page.etag IS 'ETag of the last answer, sent with the next request';
COMMENT ON COLUMN kb_rag.web_page.last_modified IS 'Last-Modified of the last answer, sent with the next request';
COMMENT ON COLUMN kb_rag.web_page.status IS 'pending: to be fetched; indexed: its document is current; skipped: it gives no document; failed; gone: answered with 404 or 410';
COMMENT ON COLUMN kb_rag.web_page.error IS 'why it failed or was skipped';
COMMENT ON COLUMN kb_rag.web_page.document_id IS 'the document made from it, which pages with the same text share';
COMMENT ON COLUMN kb_rag.web_page.crawl IS 'number of the last crawl that found it';
COMMENT ON COLUMN kb_rag.web_page.links IS 'links of the page that are followed: an answer that it has not changed has none';
COMMENT ON COLUMN kb_rag.web_page.document_key IS 'the URL by which its document may be known: after redirects, or its canonical one; NULL of a page that only kb_rag 0.3 has read';
COMMENT ON COLUMN kb_rag.web_page.parted_from IS 'the document that it shared with other pages until its text changed';

-- Not dumped: a restored copy fetches nothing until kb_source_sync.
CREATE TABLE kb_rag.web_schedule (
    source_id uuid PRIMARY KEY,
    next_sync_at timestamptz,
    is_due boolean NOT NULL DEFAULT false,
    is_crawling boolean NOT NULL DEFAULT false,
    is_forced boolean NOT NULL DEFAULT false,
    is_complete boolean NOT NULL DEFAULT true,
    remote_crawl text
);
CREATE INDEX web_schedule_next_sync_at ON kb_rag.web_schedule (next_sync_at);
COMMENT ON TABLE kb_rag.web_schedule IS 'when URLs are fetched again, and their crawls under way; never dumped';
COMMENT ON COLUMN kb_rag.web_schedule.source_id IS 'the source';
COMMENT ON COLUMN kb_rag.web_schedule.next_sync_at IS 'when it is fetched again; NULL without auto_sync';
COMMENT ON COLUMN kb_rag.web_schedule.is_due IS 'whether it was queued because it was due: such sources are fetched one at a time';
COMMENT ON COLUMN kb_rag.web_schedule.is_crawling IS 'whether a crawl is under way';
COMMENT ON COLUMN kb_rag.web_schedule.is_forced IS 'whether pages may be removed even if most would be';
COMMENT ON COLUMN kb_rag.web_schedule.is_complete IS 'whether the crawl has found all pages so far: a page that it does not find is removed';
COMMENT ON COLUMN kb_rag.web_schedule.remote_crawl IS 'identifier of the crawl at Firecrawl';

CREATE TABLE kb_rag.web_host (
    origin text PRIMARY KEY,
    next_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    robots bytea,
    robots_status int,
    robots_until timestamptz
);
COMMENT ON TABLE kb_rag.web_host IS 'the hosts that pages are fetched from: the time of the next request, and their robots.txt; never dumped';
COMMENT ON COLUMN kb_rag.web_host.origin IS 'scheme, host and port';
COMMENT ON COLUMN kb_rag.web_host.next_at IS 'the earliest time of the next request';
COMMENT ON COLUMN kb_rag.web_host.robots IS 'the body of its robots.txt';
COMMENT ON COLUMN kb_rag.web_host.robots_status IS 'the status of the answer';
COMMENT ON COLUMN kb_rag.web_host.robots_until IS 'when it is fetched again';

CREATE TABLE kb_rag.web_wait (
    origin text PRIMARY KEY,
    until timestamptz NOT NULL,
    reason text NOT NULL
);
COMMENT ON TABLE kb_rag.web_wait IS 'waits that hosts asked for; never dumped';
COMMENT ON COLUMN kb_rag.web_wait.origin IS 'scheme, host and port';
COMMENT ON COLUMN kb_rag.web_wait.until IS 'when it is asked again: in force while it is next_at of the host';
COMMENT ON COLUMN kb_rag.web_wait.reason IS 'its answer, which said how long to wait';

CREATE TABLE kb_rag.web_try (
    source_id uuid PRIMARY KEY,
    is_open boolean NOT NULL,
    used_at timestamptz
);
COMMENT ON TABLE kb_rag.web_try IS 'the sources that kb_source_sync with force and kb_retry have tried in spite of waits, or that are to be tried; never dumped';
COMMENT ON COLUMN kb_rag.web_try.source_id IS 'the source';
COMMENT ON COLUMN kb_rag.web_try.is_open IS 'whether the next request for it is sent in spite of waits';
COMMENT ON COLUMN kb_rag.web_try.used_at IS 'when one was sent last in spite of a wait: at most one is within a minute';

CREATE TABLE kb_rag.web_slow (
    origin text PRIMARY KEY,
    until timestamptz NOT NULL
);
COMMENT ON TABLE kb_rag.web_slow IS 'the hosts whose answers came too slowly, or not at all: pages of others come first; never dumped';
COMMENT ON COLUMN kb_rag.web_slow.origin IS 'scheme, host and port';
COMMENT ON COLUMN kb_rag.web_slow.until IS 'until when';

SELECT pg_catalog.pg_extension_config_dump('kb_rag.web_source', '');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.web_page', '');
