//! One page: what has to be known before it is fetched, and what is written afterwards.

use std::time::Duration;

use kb_rag_core::extract_protocol::Sitemap;
use kb_rag_core::web::{Robots, WebUrl};
use pgrx::Uuid;
use sha2::{Digest, Sha256};

use super::fetch::{Answer, Fetched, Fetcher, Validators};
use super::page::{self, Outcome, Page, Status};
use super::source::{ContentType, Source};
use super::{access, copies, crawl, document, drop, host, schedule, slow, usage, wait};
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::extraction::{self, File, Text};
use crate::ingest;
use crate::queue;

/// When a page of a slow host looks again whether others are due.
const YIELD_AGAIN: Duration = Duration::from_secs(1);

/// A page that is about to be fetched.
pub struct Plan {
    pub base: Uuid,
    pub source: Source,
    pub page: Page,
    pub fetcher: Fetcher,
    /// Whether it is fetched once in spite of waits that hosts asked for.
    pub is_try: bool,
    /// Whether its host was slow lately.
    pub is_slow: bool,
}

/// Whether a page may be fetched now.
pub enum Prepared {
    Now(Box<Plan>),
    /// Its host is asked again after this many seconds.
    Wait(Duration),
    /// It does not belong to a source any more.
    Unwanted,
}

/// What is found out before a source or a page is fetched.
pub enum Ready {
    Source(Box<KnowledgeBase>, Box<Source>, Fetcher),
    /// The source has ended, or may not be fetched, as it shows.
    Ended,
}

/// A source with what is needed to fetch it. Ends it where its row was deleted, and stops it where the role that asked for it
/// has lost the right.
pub fn ready(base: Uuid, source: Uuid) -> Result<Ready> {
    let Some(source) = Source::lock(source)?.filter(|source| source.base == base) else {
        return Ok(Ready::Ended);
    };
    let Some(base) = base::by_id(base)?.filter(KnowledgeBase::has_schema) else { return Ok(Ready::Ended) };
    if !source.is_wanted(&base)? {
        drop::forget(&source)?;
        return Ok(Ready::Ended);
    }
    let fetcher = source
        .requester()
        .and_then(|role| access::provider_for(&source, &base, role))
        .and_then(|provider| Fetcher::from_provider(&provider));
    match fetcher {
        Ok(fetcher) => Ok(Ready::Source(Box::new(base), Box::new(source), fetcher)),
        Err(error) if error.is_conflict() || error.is_canceled() => Err(error),
        Err(error) => {
            crawl::fail(&base, &source, &error.with_hint())?;
            Ok(Ready::Ended)
        }
    }
}

/// Looks up a page, and takes the turn to ask its host.
pub fn prepare(base: Uuid, page: Uuid) -> Result<Prepared> {
    let Some(mut page) = Page::find(page)? else { return Ok(Prepared::Unwanted) };
    let (base, source, fetcher) = match ready(base, page.source)? {
        Ready::Source(base, source, fetcher) => (base, *source, fetcher),
        Ready::Ended => return Ok(Prepared::Unwanted),
    };
    let Ok(url) = WebUrl::parse(&page.url) else { return Ok(Prepared::Unwanted) };
    if let Some(id) = page.document {
        match document::is_read_before(&base, id)? {
            // A user may have deleted it: the page is fetched as a whole then.
            None => page.document = None,
            // So it is if an earlier version of a reader read it.
            Some(true) => (page.etag, page.last_modified) = (None, None),
            Some(false) => {}
        }
    }
    let slow = slow::of_host(url.origin())?;
    if slow.must_yield {
        return Ok(Prepared::Wait(YIELD_AGAIN));
    }
    let is_try = wait::is_let(source.id)?;
    let passes = is_try && wait::of_host(url.origin())?.is_some();
    // The wait of the host for others stays as it is meanwhile.
    if !passes && let Some(time) = host::take_turn(&url, &fetcher.agent)? {
        return Ok(Prepared::Wait(time));
    }
    if is_try {
        wait::tried(source.id, passes)?;
    }
    Ok(Prepared::Now(Box::new(Plan { base: base.id, source, page, fetcher, is_try, is_slow: slow.is_slow })))
}

impl Plan {
    pub fn url(&self) -> Result<WebUrl> {
        WebUrl::parse(&self.page.url).map_err(|fault| Error::internal(fault.to_string()))
    }

    /// The URL that links of the site are below.
    pub fn site(&self) -> Result<WebUrl> {
        match self.source.scope.as_deref().map(WebUrl::parse) {
            Some(Ok(url)) => Ok(url),
            _ => self.url(),
        }
    }

    pub fn validators(&self) -> Validators<'_> {
        match self.page.has_validators() {
            true => Validators {
                etag: self.page.etag.as_deref(),
                last_modified: self.page.last_modified.as_deref(),
            },
            false => Validators::default(),
        }
    }

    /// Whether the sitemaps of the site are to be read after this page.
    pub fn leads_to_sitemaps(&self) -> bool {
        self.page.depth == 0
            && self.source.content_type == ContentType::Docs
            && self.source.crawl_depth > 0
            && self.source.max_pages > 1
    }
}

/// The rules of the host of a URL, if they are known.
pub fn known_robots(url: &WebUrl, agent: &str) -> Result<Option<Robots>> {
    Ok(host::rules(url.origin())?.map(|rules| rules.robots(agent)))
}

/// Keeps the rules of the host of a URL.
pub fn keep_robots(url: &WebUrl, agent: &str, status: u16, body: &[u8]) -> Result<Robots> {
    let robots = host::keep_rules(url.origin(), status, body)?.robots(agent);
    // The turn of this request was taken before the delay was known.
    host::delay(url.origin(), host::delay_of(&robots))?;
    Ok(robots)
}

/// The text of a page, read by the program kb-rag-extract.
pub fn read(answer: &Answer) -> Result<Text> {
    let file = File {
        bytes: &answer.body,
        filename: answer.url.file_name(),
        mime_type: answer.content_type.as_deref(),
        password: None,
    };
    let url = answer.url.as_str();
    extraction::read_page(&file, url, &format!("page \"{url}\""))
}

/// Where a page sends its readers at once (`<meta http-equiv="refresh">`), as by a redirect of its server.
pub fn redirect(text: &Text) -> Option<WebUrl> {
    WebUrl::parse(text.properties.web.as_ref()?.refresh.as_deref()?).ok()
}

/// What a page gave.
pub enum Got {
    Text {
        answer: Box<Answer>,
        text: Text,
    },
    Unchanged,
    Gone(String),
    Refused(String),
    /// robots.txt does not allow it.
    Disallowed(String),
}

impl Got {
    /// The URL that answered; None where no content came.
    pub fn url(&self) -> Option<WebUrl> {
        match self {
            Got::Text { answer, .. } => Some(answer.url.clone()),
            _ => None,
        }
    }

    /// None for a page that may be fetched later.
    pub fn without_text(fetched: Fetched) -> Option<Got> {
        match fetched {
            Fetched::Unchanged => Some(Got::Unchanged),
            Fetched::Gone(reason) => Some(Got::Gone(reason)),
            Fetched::Refused(reason) | Fetched::TooLarge(reason) => Some(Got::Refused(reason)),
            Fetched::Disallowed(reason) => Some(Got::Disallowed(reason)),
            Fetched::Content(_) | Fetched::Later { .. } | Fetched::Waits { .. } => None,
        }
    }
}

/// The addresses in a sitemap, read by the program kb-rag-extract.
pub fn read_sitemap(answer: &Answer) -> Result<Sitemap> {
    let url = answer.url.as_str();
    extraction::read_sitemap(&answer.body, url, &format!("sitemap \"{url}\""))
}

/// Pages of a site that its sitemaps name.
pub struct Mapped {
    pub pages: Vec<String>,
    /// Whether all could be read; otherwise the crawl may miss pages.
    pub is_complete: bool,
}

impl Mapped {
    /// Those of a page that is not asked for any.
    pub fn none() -> Mapped {
        Mapped { pages: Vec::new(), is_complete: true }
    }
}

/// Keeps a page from being asked for while a host waits that it leads to. None if none does, or for a try.
pub fn wait_on_the_way(plan: &Plan, url: &WebUrl) -> Result<Option<Fetched>> {
    // Its own host was asked when the turn was taken.
    if plan.url()?.origin() == url.origin() {
        return Ok(None);
    }
    let Some((time, reason)) = wait::of_host(url.origin())? else { return Ok(None) };
    if plan.is_try {
        return wait::tried(plan.source.id, true).map(|()| None);
    }
    let reason = format!("{} asked to wait: {reason}", url.origin());
    Ok(Some(Fetched::Waits { reason, time }))
}

/// Postpones a page, and goes on with the next page of the source.
pub fn later_page(plan: &Plan, job: Uuid, after: Duration, charged: bool, reason: &str) -> Result<()> {
    queue::postpone(&[job], after, charged, Some(reason))?;
    match base::by_id(plan.base)?.filter(KnowledgeBase::has_schema) {
        Some(base) => crawl::advance(&base, plan.source.id),
        None => Ok(()),
    }
}

/// Writes what a page gave, removes its job or fails it, and queues the next page of the source.
pub fn store(plan: &Plan, job: Uuid, got: Got, mapped: Mapped) -> Result<()> {
    let Some(mut source) = Source::lock(plan.source.id)? else { return queue::done(&[job]) };
    let Some(base) = base::by_id(plan.base)?.filter(KnowledgeBase::has_schema) else {
        return queue::done(&[job]);
    };
    if !source.is_wanted(&base)? {
        return drop::forget(&source);
    }
    let failure = write(&base, &mut source, &plan.page, got)?;
    crawl::follow(&source, &plan.page, &mapped.pages)?;
    if !mapped.is_complete {
        schedule::incomplete(source.id)?;
    }
    usage::count(&base, source.provider(), 1, i64::from(failure.is_none()), i64::from(failure.is_some()))?;
    match failure {
        Some(reason) => queue::fail(&[job], &reason)?,
        None => queue::done(&[job])?,
    }
    crawl::advance(&base, source.id)
}

/// Writes what a page gave; returns why it failed.
fn write(base: &KnowledgeBase, source: &mut Source, page: &Page, got: Got) -> Result<Option<String>> {
    let nothing = |status: Status, error: Option<&str>| {
        page.write(Outcome { status, error, validators: None, document: None, links: None })
    };
    match got {
        // Without a validator there was nothing that it could be the same as.
        Got::Unchanged if !page.has_validators() => {
            let reason = "the server answered 304 Not Modified to a request for the whole page";
            nothing(Status::Failed, Some(reason))?;
            Ok(Some(reason.to_string()))
        }
        Got::Unchanged => {
            nothing(Status::Indexed, None)?;
            if let Some(document) = page.document {
                ingest::cut_again(base, document)?;
            }
            crawl::follow(source, page, &page.links)?;
            Ok(None)
        }
        Got::Gone(reason) => nothing(Status::Gone, Some(&reason)).map(|()| None),
        // What was indexed stays, and the crawl has not seen everything.
        Got::Disallowed(reason) if page.document.is_none() && page.depth > 0 => {
            nothing(Status::Skipped, Some(&reason)).map(|()| None)
        }
        Got::Refused(reason) | Got::Disallowed(reason) => {
            nothing(Status::Failed, Some(&reason))?;
            Ok(Some(reason))
        }
        Got::Text { answer, text } => write_text(base, source, page, &answer, &text),
    }
}

fn write_text(
    base: &KnowledgeBase,
    source: &mut Source,
    page: &Page,
    answer: &Answer,
    text: &Text,
) -> Result<Option<String>> {
    let url = answer.url.as_str();
    if page.depth == 0 {
        source.set_scope(&answer.url)?;
    } else if !source.scope()?.contains(&answer.url) {
        let error = format!("it redirects to {url}, outside of the site");
        page.write(Outcome {
            status: Status::Skipped,
            error: Some(&error),
            validators: Some((None, None)),
            document: None,
            links: Some(Vec::new()),
        })?;
        return Ok(None);
    }
    let web = text.properties.web.as_ref();
    let links: Vec<String> = match web
        .filter(|web| !web.nofollow && !answer.is_nofollow() && source.content_type == ContentType::Docs)
    {
        Some(web) => own_links(source, &web.links)?,
        None => Vec::new(),
    };
    let content = text.content();
    let canonical = web.and_then(|web| web.canonical.as_deref()).and_then(|url| WebUrl::parse(url).ok());
    let key = canonical.filter(|canonical| canonical.origin() == answer.url.origin());
    let (status, error, document) = if answer.is_noindex() || web.is_some_and(|web| web.noindex) {
        (Status::Skipped, Some("the page asks not to be indexed (robots: noindex)".to_string()), None)
    } else if content.trim().is_empty() {
        let error = "the page has no text; if it is made by JavaScript, use a provider of kind firecrawl as scrape_method";
        (Status::Failed, Some(error.to_string()), None)
    } else if let Some(original) = original(base, source, page, key.as_ref())? {
        copies::lead_to(base, source, page, key.as_ref().map_or(url, WebUrl::as_str), original.document)?;
        match original.document {
            Some(document) => (Status::Indexed, None, Some(document)),
            None => (Status::Skipped, Some(format!("it is a copy of {}", original.url)), None),
        }
    } else {
        let own_title = text.properties.title.as_deref();
        let given = source.title.as_deref().filter(|_| source.content_type == ContentType::Webpage);
        let new = document::Text {
            key: key.as_ref().map_or(url, WebUrl::as_str),
            title: given.or(own_title),
            mime_type: text.mime_type(),
            language: text.properties.language.as_deref(),
            hash: Sha256::digest(&answer.body).to_vec(),
            bytes: answer.body.len() as i64,
            // Not of a page: its name says nothing.
            filename: answer.url.file_name().filter(|_| web.is_none()),
            reader: text.properties.reader.clone(),
            content,
        };
        (Status::Indexed, None, Some(copies::write(base, source, page, new)?))
    };
    // A page that failed is fetched as a whole the next time.
    let validators = match status {
        Status::Indexed => (answer.etag.as_deref(), answer.last_modified.as_deref()),
        _ => (None, None),
    };
    page.write(Outcome {
        status,
        error: error.as_deref(),
        validators: Some(validators),
        document,
        links: Some(links.clone()),
    })?;
    crawl::follow(source, page, &links)?;
    Ok(error.filter(|_| status == Status::Failed))
}

/// The page of the source that a page names as its canonical one, if that page gives a document itself: a copy must not replace
/// it, and each of them the other with every crawl.
fn original(
    base: &KnowledgeBase,
    source: &Source,
    copy: &Page,
    key: Option<&WebUrl>,
) -> Result<Option<Page>> {
    let Some(key) = key.filter(|key| key.as_str() != copy.url) else { return Ok(None) };
    // It may be found again later in this crawl.
    let known = page::of_url(source.id, key.as_str())?.filter(|page| page.crawl >= source.crawl - 1);
    let Some(original) = known.filter(Page::may_have_document) else { return Ok(None) };
    let gives_document = match original.document {
        // One that has been joined with others may be known by another URL.
        Some(document) => document::key(base, document)?
            .is_some_and(|of_document| original.key.as_ref().unwrap_or(&of_document) == key.as_str()),
        None => original.status == Status::Pending && original.crawl == source.crawl,
    };
    Ok(gives_document.then_some(original))
}

/// The links that may belong to the source: its patterns and depth may change without the page.
fn own_links(source: &Source, links: &[String]) -> Result<Vec<String>> {
    /// As many as are kept with a page.
    const MAX_KEPT_LINKS: usize = 2000;
    let scope = source.scope()?;
    let mut own = Vec::new();
    for link in links {
        if let Ok(url) = WebUrl::parse(link)
            && scope.contains(&url)
        {
            own.push(url.for_crawl().as_str().to_string());
            if own.len() >= MAX_KEPT_LINKS {
                break;
            }
        }
    }
    Ok(own)
}
