//! Firecrawl's API, version 2, as far as kb_rag uses it.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::http::{Answer, Asked, Service};

/// A page as Firecrawl has read it.
#[derive(Clone, Debug)]
pub struct RemotePage(Value);

impl RemotePage {
    /// A page with a text.
    pub fn new(url: &str, title: &str, markdown: &str) -> RemotePage {
        RemotePage(json!({
            "markdown": markdown,
            "metadata": { "sourceURL": url, "url": url, "title": title, "language": "en", "statusCode": 200 },
        }))
    }

    /// An error page of the site.
    pub fn status(url: &str, status: u16) -> RemotePage {
        let mut page = RemotePage::new(url, "Trouble", "# Trouble");
        page.0["metadata"]["statusCode"] = status.into();
        page
    }
}

/// What the service knows, and a test may change.
#[derive(Default)]
struct State {
    crawls: usize,
    status: String,
    pages: Vec<RemotePage>,
    /// Pages per part.
    per_part: usize,
    /// URLs with the reason.
    failed: Vec<(String, String)>,
    blocked: Vec<String>,
}

/// The service.
pub struct Firecrawl {
    /// Its server.
    pub service: Service,
    state: Arc<Mutex<State>>,
}

impl Firecrawl {
    /// Starts with crawls that are under way and have these pages at the end.
    pub fn start(pages: Vec<RemotePage>) -> Firecrawl {
        let initial = State { status: "scraping".to_string(), pages, per_part: 1000, ..State::default() };
        let state = Arc::new(Mutex::new(initial));
        let answering = state.clone();
        let service = Service::start(move |asked| answer(&mut answering.lock().expect("the state"), asked));
        Firecrawl { service, state }
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().expect("the state"));
    }

    /// The state of crawls: scraping, completed, failed, cancelled.
    pub fn status(&self, status: &str) {
        self.set(|state| state.status = status.to_string());
    }

    /// The pages of crawls, or the one of a scrape.
    pub fn pages(&self, pages: Vec<RemotePage>) {
        self.set(|state| state.pages = pages);
    }

    /// Gives out results in parts of so many pages.
    pub fn in_parts_of(&self, pages: usize) {
        self.set(|state| state.per_part = pages);
    }

    /// What the errors endpoint tells: URLs with reasons, and those that robots.txt does not allow.
    pub fn errors(&self, failed: &[(&str, &str)], blocked: &[&str]) {
        let failed = failed.iter().map(|(url, reason)| (url.to_string(), reason.to_string())).collect();
        let blocked = blocked.iter().map(|url| url.to_string()).collect();
        self.set(|state| (state.failed, state.blocked) = (failed, blocked));
    }

    /// How many crawls were started.
    pub fn crawls(&self) -> usize {
        self.state.lock().expect("the state").crawls
    }
}

fn answer(state: &mut State, asked: &Asked) -> Answer {
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    match (asked.method.as_str(), path) {
        ("POST", "/v2/scrape") => match state.pages.first() {
            Some(page) => Answer::json(&json!({ "success": true, "data": page.0 })),
            None => Answer::status(500, r#"{"success": false, "error": "All scraping engines failed"}"#),
        },
        ("POST", "/v2/crawl") => {
            state.crawls += 1;
            let id = format!("00000000-0000-4000-8000-{:012}", state.crawls);
            Answer::json(
                &json!({ "success": true, "id": id, "url": format!("https://elsewhere/v2/crawl/{id}") }),
            )
        }
        ("GET", path) if path.ends_with("/errors") => {
            let errors: Vec<Value> = state
                .failed
                .iter()
                .map(|(url, error)| json!({ "id": "x", "url": url, "error": error }))
                .collect();
            Answer::json(&json!({ "errors": errors, "robotsBlocked": state.blocked }))
        }
        ("GET", path) if path.starts_with("/v2/crawl/") => part(state, asked, path, query),
        _ => Answer::status(404, r#"{"success": false, "error": "Not found"}"#),
    }
}

fn part(state: &State, asked: &Asked, path: &str, query: &str) -> Answer {
    let skip: usize = query.strip_prefix("skip=").map_or(0, |skip| skip.parse().expect("a number"));
    let is_completed = state.status == "completed";
    let end = if is_completed { state.pages.len().min(skip + state.per_part) } else { 0 };
    let pages: Vec<&Value> = state.pages.iter().take(end).skip(skip).map(|page| &page.0).collect();
    // Firecrawl writes https even where it is reached without.
    let host = asked.header("host").unwrap_or_default();
    let has_more = is_completed && end < state.pages.len();
    let next = has_more.then(|| format!("https://{host}{path}?skip={end}"));
    Answer::json(&json!({
        "success": true, "status": state.status, "total": state.pages.len(), "completed": end,
        "creditsUsed": end, "data": pages, "next": next,
    }))
}
