//! The protocol of Firecrawl, version 2: a service that reads pages with a browser and gives them out as Markdown.
//!
//! Paths are those after the base URL of a server, as [`url()`] puts them together.

mod answer;
mod request;

pub use answer::{
    CrawlState, CrawlStatus, Scraped, Unread, error_message, read_crawl_errors, read_crawl_started,
    read_crawl_status, read_scrape, retry_after,
};
pub use request::{crawl_errors_path, crawl_request, crawl_status_path, scrape_request, url};

/// Firecrawl's own server.
pub const DEFAULT_BASE_URL: &str = "https://api.firecrawl.dev";

const VERSION: &str = "/v2";
const SCRAPE: &str = "/v2/scrape";
const CRAWL: &str = "/v2/crawl";
