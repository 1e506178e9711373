//! Pages that Firecrawl fetches for us: its API, version 2.

use std::cell::Cell;
use std::slice;
use std::time::Duration;

use kb_rag_core::extract_protocol::ReadBy;
use kb_rag_core::version::FIRECRAWL;
use kb_rag_core::web::firecrawl::{self, CrawlState, Scraped, Unread};
use kb_rag_core::web::{Verdict, WebUrl, verdict};
use pgrx::Uuid;
use sha2::{Digest, Sha256};

use super::fetch::{Fetched, Fetcher, MAX_ANSWER_BYTES, now};
use super::fetching::Ready;
use super::page::{self, Outcome, Status};
use super::source::{ContentType, Source};
use super::{copies, crawl, document, fetching, schedule, usage};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::queue;

/// How often a crawl under way is asked about.
const POLL: Duration = Duration::from_secs(5);
/// As many parts of a result are fetched.
const MAX_PARTS: i32 = 1000;

/// A page or a site that Firecrawl is to fetch.
pub struct RemotePlan {
    base: Uuid,
    source: Source,
    fetcher: Fetcher,
    /// Calls that were not counted yet.
    calls: Cell<i64>,
    /// Pages that were written, and parts that were read.
    pages: Cell<i64>,
    parts: Cell<i32>,
}

/// What a call gave.
pub enum RemoteStep {
    /// A crawl with this identifier was begun.
    Begun(String),
    /// The crawl is under way.
    Working,
    /// It has ended.
    Pages(RemotePart),
}

/// A part of the pages.
pub struct RemotePart {
    pub pages: Vec<Scraped>,
    /// The path of the next one.
    next: Option<String>,
}

impl RemotePlan {
    /// Begins a crawl, or goes on with one that is under way at Firecrawl.
    pub fn begin(base: &KnowledgeBase, source: &Source, fetcher: Fetcher) -> Result<RemotePlan> {
        let mut source = source.clone();
        if !source.is_crawling || source.remote_crawl.is_none() {
            source.crawl = crawl::start(base, &source)?;
            source.remote_crawl = None;
            page::found(source.id, source.crawl, 0, slice::from_ref(&source.location), source.max_pages)?;
        }
        let [calls, pages] = [0; 2].map(Cell::new);
        Ok(RemotePlan { base: base.id, source, fetcher, calls, pages, parts: Cell::new(0) })
    }

    /// Counts the calls since the last time, whatever they gave.
    pub fn count_calls(&self) -> Result<()> {
        usage::count_calls(self.base, self.source.provider(), self.calls.take())
    }

    pub fn poll_after(&self) -> Duration {
        POLL
    }

    /// The next call. No transaction is open.
    pub fn step(&self) -> std::result::Result<RemoteStep, Fetched> {
        if self.source.content_type == ContentType::Webpage {
            let (path, body) = firecrawl::scrape_request(&self.url()?);
            let answer = self.call(path, Some(&body))?;
            let page = firecrawl::read_scrape(&answer).map_err(|fault| self.refused(fault))?;
            return Ok(RemoteStep::Pages(RemotePart { pages: vec![page], next: None }));
        }
        match &self.source.remote_crawl {
            None => self.start_crawl(),
            Some(id) => {
                let part = self.part(&firecrawl::crawl_status_path(id))?;
                Ok(part.map_or(RemoteStep::Working, RemoteStep::Pages))
            }
        }
    }

    fn refused(&self, fault: String) -> Fetched {
        Fetched::Refused(self.fetcher.redact(fault))
    }

    fn start_crawl(&self) -> std::result::Result<RemoteStep, Fetched> {
        let url = self.url()?;
        let patterns = self.source.patterns().map_err(|error| self.refused(error.to_string()))?;
        let [depth, limit] =
            [self.source.crawl_depth, self.source.max_pages].map(|number| u32::try_from(number).unwrap_or(0));
        let (path, body) = firecrawl::crawl_request(&url, depth, limit, &patterns);
        let answer = self.call(path, Some(&body))?;
        firecrawl::read_crawl_started(&answer).map(RemoteStep::Begun).map_err(|fault| self.refused(fault))
    }

    fn url(&self) -> std::result::Result<WebUrl, Fetched> {
        WebUrl::parse(&self.source.location).map_err(|fault| Fetched::Refused(fault.to_string()))
    }

    /// The part after another one. None after the last.
    pub fn next(&self, part: &RemotePart) -> std::result::Result<Option<RemotePart>, Fetched> {
        self.parts.update(|parts| parts + 1);
        match &part.next {
            Some(path) if !self.is_full() && self.parts.get() < MAX_PARTS => {
                let again =
                    || self.refused("Firecrawl's crawl has ended, and is under way again".to_string());
                self.part(path)?.ok_or_else(again).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A part of the pages. None while the crawl is under way.
    fn part(&self, path: &str) -> std::result::Result<Option<RemotePart>, Fetched> {
        let answer = self.call(path, None)?;
        let status = firecrawl::read_crawl_status(&answer, &self.fetcher.base_url)
            .map_err(|fault| self.refused(fault))?;
        match status.state {
            CrawlState::Working => Ok(None),
            CrawlState::Completed => Ok(Some(RemotePart { pages: status.pages, next: status.next })),
            CrawlState::Failed => Err(self.refused("Firecrawl could not crawl the site".to_string())),
            CrawlState::Canceled => Err(self.refused("the crawl was canceled at Firecrawl".to_string())),
        }
    }

    /// The pages that could not be read: they are told apart from those that do not exist any more.
    pub fn unread(&self) -> std::result::Result<Vec<Unread>, Fetched> {
        let Some(id) = &self.source.remote_crawl else { return Ok(Vec::new()) };
        let answer = self.call(&firecrawl::crawl_errors_path(id), None)?;
        let mut unread = firecrawl::read_crawl_errors(&answer).map_err(|fault| self.refused(fault))?;
        unread.truncate(self.source.max_pages as usize);
        Ok(unread)
    }

    /// Whether there are as many pages as the source may have.
    fn is_full(&self) -> bool {
        self.pages.get() >= i64::from(self.source.max_pages)
    }

    fn call(&self, path: &str, body: Option<&[u8]>) -> std::result::Result<Vec<u8>, Fetched> {
        let url = firecrawl::url(&self.fetcher.base_url, path);
        let url = WebUrl::parse(&url).map_err(|fault| Fetched::Refused(fault.to_string()))?;
        self.calls.update(|calls| calls + 1);
        let response = self.fetcher.send(&url, &[], body, MAX_ANSWER_BYTES)?;
        let said = |reason: String| {
            self.fetcher.redact(format!("Firecrawl: {reason}: {}", firecrawl::error_message(&response.body)))
        };
        match verdict(&url, response.status, &response.headers, now()) {
            Verdict::Content => Ok(response.body),
            Verdict::Later { reason, after, .. } => {
                let limited = response.status == 429;
                let after = match limited {
                    true => Some(firecrawl::retry_after(&response.headers, &response.body, now())),
                    false => after,
                };
                Err(Fetched::Later { reason: said(reason), after, whole_host: None })
            }
            Verdict::Refused(reason) => Err(Fetched::Refused(said(reason))),
            _ => Err(Fetched::Refused(said(format!("the server answered {}", response.status)))),
        }
    }

    /// Keeps the identifier of the crawl, by which it goes on after a crash.
    pub fn begun(&self, id: &str) -> Result<()> {
        schedule::set_remote_crawl(self.source.id, Some(id))
    }

    fn current(&self) -> Result<Option<(KnowledgeBase, Source)>> {
        let Ready::Source(base, source, _) = fetching::ready(self.base, self.source.id)? else {
            return Ok(None);
        };
        Ok((source.crawl == self.source.crawl).then_some((*base, *source)))
    }

    /// Writes a page.
    pub fn store(&self, scraped: &Scraped) -> Result<()> {
        if self.is_full() {
            return Ok(());
        }
        let Some((base, source)) = self.current()? else { return Ok(()) };
        let is_single = source.content_type == ContentType::Webpage;
        let url = match &scraped.url {
            Some(url) => url.clone(),
            None if is_single => source.url()?,
            None => return Ok(()),
        };
        if !is_single && !belongs(&source, &url)? {
            return Ok(());
        }
        // The page that was asked for may have redirected.
        let known = if is_single { source.location.clone() } else { url.as_str().to_string() };
        page::found(
            source.id,
            source.crawl,
            i32::from(known != source.location),
            slice::from_ref(&known),
            i32::MAX,
        )?;
        let Some(page) = page::of_url(source.id, &known)? else { return Ok(()) };
        let failed = |error: String| (Status::Failed, Some(error), None);
        let (status, error, document) = match (scraped.status_code, &scraped.error, &scraped.markdown) {
            (Some(code @ (404 | 410)), ..) => {
                (Status::Gone, Some(format!("the server answered {code}")), None)
            }
            (Some(code @ 400..), ..) => failed(format!("the server answered {code}")),
            (_, Some(error), _) => failed(self.fetcher.redact(error.clone())),
            (_, _, None) => failed("the page has no text".to_string()),
            (_, _, Some(markdown)) if markdown.trim().is_empty() => {
                failed("the page has no text".to_string())
            }
            (_, _, Some(markdown)) => {
                let given = source.title.as_deref().filter(|_| is_single);
                let new = document::Text {
                    key: url.as_str(),
                    title: given.or(scraped.title.as_deref()),
                    content: markdown.clone(),
                    mime_type: "text/markdown",
                    language: scraped.language.as_deref(),
                    hash: Sha256::digest(markdown.as_bytes()).to_vec(),
                    bytes: markdown.len() as i64,
                    filename: None,
                    reader: Some(ReadBy::own(FIRECRAWL)),
                };
                (Status::Indexed, None, Some(copies::write(&base, &source, &page, new)?))
            }
        };
        page.write(Outcome { status, error: error.as_deref(), validators: None, document, links: None })?;
        self.pages.update(|pages| pages + 1);
        Ok(())
    }

    /// Notes a page that Firecrawl could not read: its document stays.
    pub fn store_unread(&self, unread: &Unread) -> Result<()> {
        let Some((_, source)) = self.current()? else { return Ok(()) };
        if !belongs(&source, &unread.url)? {
            return Ok(());
        }
        let url = unread.url.as_str();
        let depth = i32::from(url != source.location);
        page::found(source.id, source.crawl, depth, &[url.to_string()], i32::MAX)?;
        let Some(page) = page::of_url(source.id, url)? else { return Ok(()) };
        // One that nobody may read is no failure, unless it could be read before.
        let is_failure = !unread.is_disallowed || page.document.is_some() || depth == 0;
        let reason = self.fetcher.redact(unread.reason.clone());
        page.write(Outcome {
            status: if is_failure { Status::Failed } else { Status::Skipped },
            error: Some(&reason),
            validators: None,
            document: None,
            links: None,
        })
    }

    /// Ends the crawl.
    pub fn finish(&self, job: Uuid) -> Result<()> {
        queue::done(&[job])?;
        let Some((base, source)) = self.current()? else { return Ok(()) };
        let is_single = source.content_type == ContentType::Webpage;
        if !is_single && (self.pages.get() == 0 || self.is_full() || self.parts.get() >= MAX_PARTS) {
            schedule::incomplete(source.id)?;
        }
        // The page that was asked for may have given no text, or another URL.
        let root = page::of_url(source.id, &source.location)?;
        if let Some(root) = root.filter(|root| root.status == Status::Pending) {
            root.write(Outcome {
                status: Status::Skipped,
                error: Some("Firecrawl gave no text of it"),
                validators: None,
                document: None,
                links: None,
            })?;
        }
        usage::count(&base, source.provider(), 0, self.pages.get(), 0)?;
        let source = Source::lock(source.id)?.unwrap_or(source);
        crawl::finish(&base, &source).map(drop)
    }
}

/// Whether a page is one of a site: Firecrawl was asked for these alone, but follows redirects.
fn belongs(source: &Source, url: &WebUrl) -> Result<bool> {
    Ok(source.scope()?.contains(url) && !source.patterns()?.matches(url))
}
