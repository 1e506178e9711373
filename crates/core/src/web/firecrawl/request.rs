//! What Firecrawl is asked.

use super::{CRAWL, SCRAPE, VERSION};
use crate::web::{Patterns, Scope, WebUrl};
use serde_json::{Value, json};

/// The address of a path on a server; its base URL may end with the version.
pub fn url(base_url: &str, path: &str) -> String {
    let base = base_url.trim_end_matches('/');
    format!("{}{path}", base.strip_suffix(VERSION).unwrap_or(base))
}

/// The path and body of the request for one page.
pub fn scrape_request(url: &WebUrl) -> (&'static str, Vec<u8>) {
    let mut request = scrape_options();
    request["url"] = url.as_str().into();
    (SCRAPE, request.to_string().into_bytes())
}

/// The path and body of the request that begins a crawl of the pages below a URL: `depth` links away from it, at least one,
/// at most `limit` pages. Firecrawl compares patterns with the path alone unless `regexOnFullURL` is set. It takes `/docs-old`
/// for a page below `/docs`, so the scope goes along as a pattern.
pub fn crawl_request(url: &WebUrl, depth: u32, limit: u32, patterns: &Patterns) -> (&'static str, Vec<u8>) {
    let scope = Scope::below(url);
    let request = json!({
        "url": url.as_str(),
        // With 0 Firecrawl refuses the first page itself.
        "maxDiscoveryDepth": depth.max(1),
        "limit": limit,
        "includePaths": [scope.as_regular_expression()],
        "excludePaths": patterns.as_regular_expressions(),
        "regexOnFullURL": true,
        // Otherwise only paths that begin with that of a file are read.
        "crawlEntireDomain": !scope.directory().starts_with(url.path()),
        "allowExternalLinks": false,
        "allowSubdomains": false,
        "ignoreRobotsTxt": false,
        "sitemap": "include",
        "scrapeOptions": scrape_options(),
    });
    (CRAWL, request.to_string().into_bytes())
}

/// Firecrawl's own defaults are pages up to two days old, and certificates that are not checked.
fn scrape_options() -> Value {
    json!({"formats": ["markdown"], "onlyMainContent": true, "maxAge": 0, "skipTlsVerification": false})
}

/// The path that tells how far a crawl is.
pub fn crawl_status_path(id: &str) -> String {
    format!("{CRAWL}/{id}")
}

/// The path that tells which pages of a crawl could not be read.
pub fn crawl_errors_path(id: &str) -> String {
    format!("{CRAWL}/{id}/errors")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(text: &str) -> WebUrl {
        WebUrl::parse(text).unwrap()
    }

    fn parsed((path, body): (&str, Vec<u8>)) -> (String, Value) {
        (path.to_owned(), serde_json::from_slice(&body).unwrap())
    }

    #[test]
    fn asks_for_a_page() {
        let (path, body) = parsed(scrape_request(&web("https://h/a?b")));
        assert_eq!(url("https://fc.example.com/", &path), "https://fc.example.com/v2/scrape");
        assert_eq!(url("http://localhost:3002/fc/v2/", &path), "http://localhost:3002/fc/v2/scrape");
        assert_eq!(
            body,
            json!({
                "url": "https://h/a?b",
                "formats": ["markdown"],
                "onlyMainContent": true,
                "maxAge": 0,
                "skipTlsVerification": false,
            })
        );
    }

    #[test]
    fn asks_for_a_crawl() {
        let patterns = Patterns::parse(&["/docs/old/*".to_owned()]).unwrap();
        let (path, body) = parsed(crawl_request(&web("https://h/docs"), 2, 50, &patterns));
        assert_eq!(path, "/v2/crawl");
        assert_eq!((&body["url"], &body["limit"]), (&json!("https://h/docs"), &json!(50)));
        assert_eq!((&body["maxDiscoveryDepth"], &body["sitemap"]), (&json!(2), &json!("include")));
        assert_eq!(body["includePaths"], json!([r"^https?://[^/]*/docs(?:[/?].*)?$"]));
        assert_eq!(body["excludePaths"], json!([r"^https?://[^/]*/docs/old/.*$"]));
        for name in ["allowExternalLinks", "allowSubdomains", "ignoreRobotsTxt", "crawlEntireDomain"] {
            assert_eq!(body[name], json!(false), "{name}");
        }
        assert_eq!(body["scrapeOptions"]["formats"], json!(["markdown"]));
        let (_, body) = parsed(crawl_request(&web("https://h/docs/index.html"), 0, 1, &Patterns::default()));
        assert_eq!((&body["crawlEntireDomain"], &body["maxDiscoveryDepth"]), (&json!(true), &json!(1)));
        assert_eq!((&body["regexOnFullURL"], &body["excludePaths"]), (&json!(true), &json!([])));
    }

    #[test]
    fn asks_for_the_state_of_a_crawl() {
        assert_eq!(crawl_status_path("a-1"), "/v2/crawl/a-1");
        assert_eq!(crawl_errors_path("a-1"), "/v2/crawl/a-1/errors");
    }
}
