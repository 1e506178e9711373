//! What Firecrawl answers.

use super::CRAWL;
use crate::provider::said::{Said, one_line};
use crate::web::WebUrl;
use crate::web::answer::asked_wait;
use core::time::Duration;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// As much of a message as is shown, in characters.
const MAX_MESSAGE_CHARACTERS: usize = 300;
/// The longest identifier of a crawl; today it is a UUID.
const MAX_ID_BYTES: usize = 100;
/// What limits of calls are counted by.
const MINUTE: Duration = Duration::from_secs(60);

/// A page that Firecrawl read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scraped {
    /// Where it was found, after redirects. None where the answer does not say that.
    pub url: Option<WebUrl>,
    /// The page's own title, in one line.
    pub title: Option<String>,
    /// As the page names it: `de`, `en-US`.
    pub language: Option<String>,
    /// The main content, without NUL.
    pub markdown: Option<String>,
    /// The HTTP status of the page; Firecrawl gives out the content of error pages too.
    pub status_code: Option<u16>,
    /// Why the page could not be read, for people.
    pub error: Option<String>,
}

/// How far a crawl is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrawlState {
    /// It goes on; ask again.
    Working,
    /// It ended. Pages that could not be read are told by [`crawl_errors_path`](super::crawl_errors_path) alone.
    Completed,
    /// It ended without result.
    Failed,
    /// Somebody ended it.
    Canceled,
}

/// A part of the result of a crawl.
#[derive(Clone, Debug, PartialEq)]
pub struct CrawlStatus {
    /// How far it is.
    pub state: CrawlState,
    /// The pages of this part.
    pub pages: Vec<Scraped>,
    /// The path of the next part. While the crawl goes on, that part may still be empty.
    pub next: Option<String>,
    /// How many pages were found.
    pub total: u64,
    /// How many of them were read.
    pub completed: u64,
    /// What the crawl has cost, in Firecrawl's credits.
    pub credits: u64,
}

/// A page of a crawl without content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The page.
    pub url: WebUrl,
    /// Why it could not be read, for people.
    pub reason: String,
    /// Whether robots.txt does not allow it: nobody tried to read it.
    pub is_disallowed: bool,
}

/// Reads the answer to [`scrape_request`](super::scrape_request).
///
/// # Errors
/// What Firecrawl says instead, for people. So for all that follow.
pub fn read_scrape(body: &[u8]) -> Result<Scraped, String> {
    #[derive(Deserialize)]
    struct Answer {
        data: Document,
    }
    read(body, |answer: Answer| Ok(answer.data.into()))
}

/// Reads the answer to [`crawl_request`](super::crawl_request): the identifier of the crawl, of ASCII letters, digits and hyphens.
///
/// # Errors
/// As [`read_scrape`].
pub fn read_crawl_started(body: &[u8]) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Answer {
        id: String,
    }
    read(body, |answer: Answer| {
        Some(answer.id).filter(|id| is_id(id)).ok_or("Firecrawl's crawl has no usable id")
    })
}

/// Reads the answer to [`crawl_status_path`](super::crawl_status_path). Firecrawl writes the next part's address with its own host, and with https
/// even where it is reached without. Only the path is taken, and only of the host of `base_url`, which gets the key.
///
/// # Errors
/// As [`read_scrape`], and for a next part at another host: without it the result would look complete.
pub fn read_crawl_status(body: &[u8], base_url: &str) -> Result<CrawlStatus, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer {
        status: String,
        #[serde(default)]
        data: Vec<Option<Document>>,
        next: Option<String>,
        total: Option<f64>,
        completed: Option<f64>,
        credits_used: Option<f64>,
    }
    // Values that are no number of pages become 0 or the greatest one.
    let count = |number: Option<f64>| number.unwrap_or_default() as u64;
    read(body, |answer: Answer| {
        let state = match answer.status.as_str() {
            "scraping" => CrawlState::Working,
            "completed" => CrawlState::Completed,
            "failed" => CrawlState::Failed,
            "cancelled" => CrawlState::Canceled,
            _ => return Err("Firecrawl's crawl has an unknown state"),
        };
        let next = answer.next.filter(|next| !next.is_empty());
        Ok(CrawlStatus {
            state,
            pages: answer.data.into_iter().flatten().map(Scraped::from).collect(),
            next: next.map(|next| next_path(&next, base_url)).transpose()?,
            total: count(answer.total),
            completed: count(answer.completed),
            credits: count(answer.credits_used),
        })
    })
}

/// Reads the answer to [`crawl_errors_path`](super::crawl_errors_path): pages that exist, as far as is known, but could not be read, and why.
///
/// # Errors
/// As [`read_scrape`].
pub fn read_crawl_errors(body: &[u8]) -> Result<Vec<Unread>, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer {
        errors: Vec<Failure>,
        #[serde(default)]
        robots_blocked: Vec<String>,
    }
    #[derive(Deserialize)]
    struct Failure {
        url: String,
        #[serde(default)]
        error: String,
    }
    read(body, |answer: Answer| {
        let unread = |url: &str, reason: String, is_disallowed| {
            Some(Unread { url: WebUrl::parse(url).ok()?, reason, is_disallowed })
        };
        let failed = answer.errors.into_iter().filter_map(|failure| {
            unread(&failure.url, one_line(&failure.error, MAX_MESSAGE_CHARACTERS), false)
        });
        let blocked = answer
            .robots_blocked
            .into_iter()
            .filter_map(|url| unread(&url, "robots.txt does not allow it".to_owned(), true));
        Ok(failed.chain(blocked).collect())
    })
}

/// Reads an answer, and what Firecrawl says where it is an error.
fn read<T: DeserializeOwned, A>(
    body: &[u8],
    take: impl FnOnce(T) -> Result<A, &'static str>,
) -> Result<A, String> {
    #[derive(Deserialize)]
    struct Success {
        success: Option<bool>,
    }
    let failed = serde_json::from_slice(body).is_ok_and(|answer: Success| answer.success == Some(false));
    if failed {
        return Err(error_message(body));
    }
    serde_json::from_slice(body).map_err(|_| error_message(body)).and_then(|answer| Ok(take(answer)?))
}

/// How long to wait after status 429, at most an hour: Firecrawl says so in the message alone, and counts by the minute. `now` is in
/// seconds since 1970.
pub fn retry_after(headers: &[(String, String)], body: &[u8], now: f64) -> Duration {
    asked_wait(headers, &Said::read(body), now).unwrap_or(MINUTE)
}

/// What an error says, in one line of at most 300 characters.
pub fn error_message(body: &[u8]) -> String {
    let answer = serde_json::from_slice::<Value>(body).unwrap_or_default();
    let Some(error) = answer["error"].as_str() else {
        return match one_line(&Said::read(body).message, MAX_MESSAGE_CHARACTERS) {
            empty if empty.is_empty() => "Firecrawl's answer is empty".to_owned(),
            message => one_line(
                &format!("Firecrawl's answer is not as documented: {message}"),
                MAX_MESSAGE_CHARACTERS,
            ),
        };
    };
    let details = match &answer["details"] {
        Value::String(details) => details.clone(),
        Value::Array(details) => {
            let messages =
                details.iter().filter_map(|detail| detail.as_str().or_else(|| detail["message"].as_str()));
            messages.collect::<Vec<_>>().join("; ")
        }
        _ => String::new(),
    };
    let separator = if details.is_empty() { "" } else { ": " };
    one_line(&format!("{error}{separator}{details}"), MAX_MESSAGE_CHARACTERS)
}

/// The path and query of the next part.
fn next_path(next: &str, base_url: &str) -> Result<String, &'static str> {
    let host = |url: &WebUrl| url.origin().split_once("://").map(|(_, host)| host.to_owned());
    let parts = WebUrl::parse(next).ok().zip(WebUrl::parse(base_url).ok());
    let path = parts.and_then(|(next, base)| {
        let path = next.path_and_query();
        let begin = path.find(CRAWL).filter(|_| host(&next) == host(&base))?;
        let path = path.get(begin..)?;
        let id = path.strip_prefix(CRAWL)?.strip_prefix('/')?.split('?').next()?;
        is_id(id).then(|| path.to_owned())
    });
    path.ok_or("the next part of Firecrawl's answer is not on the same server")
}

fn is_id(id: &str) -> bool {
    (1..=MAX_ID_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[derive(Deserialize)]
struct Document {
    markdown: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

impl From<Document> for Scraped {
    fn from(document: Document) -> Self {
        let value = |name: &str| document.metadata.get(name);
        // Pages with several such elements have a list.
        let text = |name: &str| value(name).and_then(|value| value.as_str().or_else(|| value[0].as_str()));
        let url = |name: &str| text(name).and_then(|url| WebUrl::parse(url).ok());
        let line = |name: &str| {
            text(name).map(|text| one_line(text, MAX_MESSAGE_CHARACTERS)).filter(|line| !line.is_empty())
        };
        Self {
            url: url("url").or_else(|| url("sourceURL")),
            title: line("title"),
            language: line("language"),
            status_code: value("statusCode")
                .and_then(Value::as_u64)
                .and_then(|status| u16::try_from(status).ok()),
            error: line("error"),
            markdown: document.markdown.map(without_nul),
        }
    }
}

/// PostgreSQL's texts hold no NUL.
fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::MAX_WAIT;
    use crate::web::firecrawl::DEFAULT_BASE_URL;
    use proptest::prelude::*;
    use serde_json::json;

    const ID: &str = "0b5c7f2e-1111-4222-8333-444455556666";

    fn web(text: &str) -> WebUrl {
        WebUrl::parse(text).unwrap()
    }

    #[test]
    fn reads_a_page() {
        let body = r##"{"success": true, "data": {"markdown": "# A\u0000b", "links": [], "metadata": {
            "title": ["A\n b", "c"], "language": "de", "sourceURL": "https://h/a", "url": "https://h/A#x",
            "statusCode": 200, "contentType": "text/html", "ogImage": null}}}"##;
        let expected = Scraped {
            url: Some(web("https://h/A")),
            title: Some("A b".to_owned()),
            language: Some("de".to_owned()),
            markdown: Some("# Ab".to_owned()),
            status_code: Some(200),
            error: None,
        };
        assert_eq!(read_scrape(body.as_bytes()), Ok(expected));
        let body = r#"{"success": true, "data": {"metadata": {"statusCode": 404, "error": "Not Found", "sourceURL": "https://h/b"}}}"#;
        let page = read_scrape(body.as_bytes()).unwrap();
        assert_eq!((page.status_code, page.error.as_deref()), (Some(404), Some("Not Found")));
        assert_eq!((page.url, page.markdown), (Some(web("https://h/b")), None));
    }

    #[test]
    fn reads_errors() {
        for (body, expected) in [
            (r#"{"success": false, "error": "Unauthorized: Invalid token"}"#, "Unauthorized: Invalid token"),
            (
                r#"{"success": false, "code": "BAD_REQUEST", "error": "Bad Request",
                    "details": [{"code": "x", "message": "Invalid URL", "path": ["url"]}, "and\nmore"]}"#,
                "Bad Request: Invalid URL; and more",
            ),
            (r#"{"success": false, "error": "No", "details": "why"}"#, "No: why"),
            (r#"{"success": false, "error": "No", "data": {"metadata": {}}}"#, "No"),
            (r#"{"success": true}"#, r#"Firecrawl's answer is not as documented: {"success": true}"#),
            ("<title>Bad Gateway</title>", "Firecrawl's answer is not as documented: Bad Gateway"),
            ("", "Firecrawl's answer is empty"),
        ] {
            assert_eq!(read_scrape(body.as_bytes()), Err(expected.to_owned()), "{body}");
        }
        let long = json!({"success": false, "error": "ü".repeat(1000)}).to_string();
        assert_eq!(read_scrape(long.as_bytes()).unwrap_err().chars().count(), MAX_MESSAGE_CHARACTERS);
    }

    #[test]
    fn reads_the_beginning_of_a_crawl() {
        let body =
            format!(r#"{{"success": true, "id": "{ID}", "url": "https://api.firecrawl.dev/v2/crawl/{ID}"}}"#);
        assert_eq!(read_crawl_started(body.as_bytes()), Ok(ID.to_owned()));
        for id in ["", "../x", "a b", "a?b", "a/b"] {
            let body = json!({"success": true, "id": id}).to_string();
            assert_eq!(
                read_crawl_started(body.as_bytes()).unwrap_err(),
                "Firecrawl's crawl has no usable id"
            );
        }
    }

    #[test]
    fn reads_a_part_of_a_crawl() {
        let next = format!("https://api.firecrawl.dev/v2/crawl/{ID}?skip=2");
        let body = json!({
            "success": true, "status": "scraping", "total": 9, "completed": 2, "creditsUsed": 2.0,
            "expiresAt": "2030-01-01T00:00:00Z", "next": next,
            "data": [{"markdown": "a", "metadata": {"sourceURL": "https://h/a", "statusCode": 200}}, null],
        });
        let status = read_crawl_status(body.to_string().as_bytes(), DEFAULT_BASE_URL).unwrap();
        assert_eq!((status.state, status.pages.len()), (CrawlState::Working, 1));
        assert_eq!((status.total, status.completed, status.credits), (9, 2, 2));
        assert_eq!(status.next, Some(format!("/v2/crawl/{ID}?skip=2")));
        for (name, state) in [
            ("completed", CrawlState::Completed),
            ("failed", CrawlState::Failed),
            ("cancelled", CrawlState::Canceled),
        ] {
            let body =
                json!({"success": true, "status": name, "total": null, "data": [], "next": null}).to_string();
            let status = read_crawl_status(body.as_bytes(), DEFAULT_BASE_URL).unwrap();
            assert_eq!((status.state, status.next, status.total), (state, None, 0));
        }
        let unknown = read_crawl_status(br#"{"status": "resting", "data": []}"#, DEFAULT_BASE_URL);
        assert_eq!(unknown.unwrap_err(), "Firecrawl's crawl has an unknown state");
        let gone = read_crawl_status(br#"{"success": false, "error": "Job not found"}"#, DEFAULT_BASE_URL);
        assert_eq!(gone.unwrap_err(), "Job not found");
    }

    #[test]
    fn stays_on_its_server() {
        let next = |next: &str, base: &str| next_path(next, base).ok();
        let path = || Some("/v2/crawl/a-1?skip=2".to_owned());
        assert_eq!(next("https://localhost:3002/v2/crawl/a-1?skip=2", "http://localhost:3002"), path());
        assert_eq!(next("https://fc/v2/crawl/a-1?skip=2", "http://fc/v2/"), path());
        assert_eq!(next("http://fc/proxy/v2/crawl/a-1?skip=2", "http://fc/proxy"), path());
        for other in [
            "https://other/v2/crawl/a-1?skip=2",
            "https://fc:8443/v2/crawl/a-1",
            "https://fc@other/v2/crawl/a-1",
            "https://fc.other/v2/crawl/a-1",
            "//other/v2/crawl/a-1",
            "/v2/crawl/a-1",
            "https://fc/v2/crawl/a-1/x",
            "https://fc/v2/crawl/../team",
            "https://fc/v2/crawling/a",
            "https://fc/v2/scrape",
        ] {
            assert_eq!(next(other, "https://fc"), None, "{other}");
        }
    }

    #[test]
    fn reads_the_errors_of_a_crawl() {
        let body = r#"{"errors": [{"id": "x", "timestamp": "t", "url": "https://h/a", "error": "timed\nout"}, {"url": ""}],
            "robotsBlocked": ["https://h/b"]}"#;
        let expected =
            [("https://h/a", "timed out", false), ("https://h/b", "robots.txt does not allow it", true)].map(
                |(url, reason, is_disallowed)| Unread {
                    url: web(url),
                    reason: reason.to_owned(),
                    is_disallowed,
                },
            );
        assert_eq!(read_crawl_errors(body.as_bytes()), Ok(expected.to_vec()));
        assert_eq!(
            read_crawl_errors(br#"{"success": false, "error": "Job expired"}"#),
            Err("Job expired".to_owned())
        );
    }

    #[test]
    fn waits_as_long_as_a_message_says() {
        let body = br#"{"success": false, "error": "Rate limit exceeded. Consumed (req/min): 11, Remaining (req/min): 0. Upgrade your plan at https://firecrawl.dev/pricing for increased rate limits or please retry after 23s, resets at Mon Jan 01 2035"}"#;
        assert_eq!(retry_after(&[], body, 0.0), Duration::from_secs(23));
        assert_eq!(
            retry_after(&[("retry-after".to_owned(), "7".to_owned())], body, 0.0),
            Duration::from_secs(7)
        );
        assert_eq!(retry_after(&[], b"", 0.0), MINUTE);
        let year = [("retry-after".to_owned(), "31536000".to_owned())];
        assert_eq!(retry_after(&year, b"", 0.0), MAX_WAIT);
        assert_eq!(retry_after(&[], br#"{"error": "retry after 90000s"}"#, 0.0), MAX_WAIT);
    }

    proptest! {
        #[test]
        fn never_panics(body in any::<Vec<u8>>(), next in any::<String>(), value in "(1|-1e300|null|\"a\"|\\[\\]|\\{\\})") {
            let _ = (read_scrape(&body), read_crawl_started(&body), read_crawl_errors(&body));
            prop_assert!(retry_after(&[], &body, 0.0) <= MAX_WAIT);
            let _ = read_crawl_status(&body, &next);
            let _ = next_path(&next, &next);
            for name in ["success", "status", "data", "total", "metadata", "error", "details", "title", "statusCode"] {
                let fields = format!(r#""{name}": {value}, "markdown": "a""#);
                let body = format!(r#"{{{fields}, "data": {{{fields}, "metadata": {{{fields}}}}}}}"#);
                let _ = (read_scrape(body.as_bytes()), read_crawl_status(body.as_bytes(), DEFAULT_BASE_URL));
            }
        }
    }
}
