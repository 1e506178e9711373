//! A crawl: from one page to the next, and its end.

use std::collections::{HashMap, HashSet};

use kb_rag_core::plural::counted;
use kb_rag_core::web::WebUrl;
use kb_rag_core::web::removal::{self, Removal, State};
use pgrx::Uuid;

use super::page::{self, Page, Status};
use super::source::{ContentType, Source};
use super::{copies, document, host, schedule};
use crate::base::KnowledgeBase;
use crate::catalog;
use crate::error::Result;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::queue::{self, Kind};

/// Begins a crawl of a page or a site. The rules of its host are fetched again.
pub fn begin(base: &KnowledgeBase, source: &Source) -> Result<()> {
    let crawl = start(base, source)?;
    let url = source.url()?;
    host::forget_rules(url.origin())?;
    page::found(source.id, crawl, 0, std::slice::from_ref(&source.location), source.max_pages)?;
    advance(base, source.id)
}

/// Begins a crawl of any kind, and returns its number.
pub fn start(base: &KnowledgeBase, source: &Source) -> Result<i32> {
    // What is left of an earlier crawl.
    catalog::connect(|c| {
        c.execute(include_str!("forget_jobs.sql"), &[Arg::new(base.id), Arg::new(source.id)])
    })?;
    set_status(base, source.id, "processing", None, false)?;
    schedule::begin_crawl(source)
}

/// Adds the links of a page that belong to the source.
pub fn follow(source: &Source, page: &Page, links: &[String]) -> Result<()> {
    if source.content_type != ContentType::Docs || page.depth >= source.crawl_depth {
        return Ok(());
    }
    let (scope, patterns) = (source.scope()?, source.patterns()?);
    let wanted = |link: &String| {
        let url = WebUrl::parse(link).ok()?.for_crawl();
        (scope.contains(&url) && !patterns.matches(&url) && !url.is_trap() && url.may_be_text())
            .then(|| url.as_str().to_string())
    };
    let wanted: Vec<String> = links.iter().filter_map(wanted).collect();
    page::found(source.id, source.crawl, page.depth + 1, &wanted, source.max_pages)?;
    if leaves_out(source, wanted)? {
        schedule::incomplete(source.id)?;
    }
    Ok(())
}

/// Whether one of these pages is not among those of the crawl, which has as many as it may.
fn leaves_out(source: &Source, urls: Vec<String>) -> Result<bool> {
    if urls.is_empty() {
        return Ok(false);
    }
    let found = catalog::connect(|c| {
        let args = [Arg::new(source.id), Arg::new(source.crawl), Arg::new(urls)];
        c.query_one(include_str!("leaves_out.sql"), Access::Write, &args, |row| row.require::<bool>(1))
    })?;
    Ok(found == Some(true))
}

/// Queues the next page of the crawl, or ends it after the last one. The source is locked.
pub fn advance(base: &KnowledgeBase, source: Uuid) -> Result<()> {
    let Some(source) = Source::lock(source)? else { return Ok(()) };
    match page::next(base.id, source.id, source.crawl)? {
        (Some(page), _) => queue::enqueue(base.id, Kind::Fetch, &[page]),
        (None, true) => Ok(()),
        (None, false) => finish(base, &source).map(drop),
    }
}

/// A page of a source at the end of a crawl.
struct Seen {
    page: Uuid,
    url: String,
    document: Option<Uuid>,
    /// The URL that its document may be known by.
    key: Option<String>,
    state: State,
    error: Option<String>,
    is_root: bool,
    /// Whether this crawl has found it.
    is_found: bool,
    is_indexed: bool,
}

/// Ends a crawl: removes what is gone, and writes the state of the source. False if so much is gone that nothing was removed.
pub fn finish(base: &KnowledgeBase, source: &Source) -> Result<bool> {
    let pages = seen(source)?;
    let failed: Vec<&Seen> = pages.iter().filter(|page| page.state == State::Failed).collect();
    // A file that cannot be read hides no other: the archive of a repository has all of them.
    let is_repository = source.content_type == ContentType::GitHub;
    let is_complete = source.is_complete && (failed.is_empty() || is_repository);
    // Several URLs may lead to one document, which stays as long as one of them does.
    let mut documents: HashMap<Uuid, State> = HashMap::new();
    for page in &pages {
        if let Some(document) = page.document {
            let state = documents.entry(document).or_insert(page.state);
            *state = stronger(*state, page.state);
        }
    }
    // Pages that moved, name another canonical URL, or have the text of another page now, have another document.
    let read: HashSet<&str> =
        pages.iter().filter(|page| page.is_indexed).filter_map(|page| page.key.as_deref()).collect();
    let without_page = document::without_page(base, source.id, documents.keys().copied().collect())?;
    for (document, key) in &without_page {
        let state = if read.contains(key.as_str()) { State::Gone } else { State::NotFound };
        documents.insert(*document, state);
    }
    let (ids, states): (Vec<Uuid>, Vec<State>) = documents.into_iter().unzip();
    let notes = [note_of(source, &pages), error_of(source, &failed, &pages)];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    let mut error = (!notes.is_empty()).then(|| notes.join("; "));
    let mut is_failed = !pages.iter().any(|page| page.is_indexed);
    let mut is_removed = true;
    match removal::decide(&states, is_complete, source.is_forced) {
        Removal::Pages(places) => {
            let gone: Vec<Uuid> = places.into_iter().filter_map(|place| ids.get(place).copied()).collect();
            document::delete(base, source.id, &gone)?;
            let over = over(&pages, &gone, is_complete);
            let mut shared = shared(&over, &gone);
            // The URL of a document that has gone may be the better name of another one.
            let is_free =
                |(document, key): &&(Uuid, String)| gone.contains(document) && read.contains(key.as_str());
            for (_, key) in without_page.iter().filter(is_free) {
                let of_key = pages.iter().filter(|page| page.key.as_ref() == Some(key));
                shared.extend(of_key.filter_map(|page| page.document));
            }
            copies::without(base, source, &shared, &ids_of(&over))?;
            forget(source, ids_of(&over))?;
        }
        Removal::TooMany { going, of } => {
            is_failed = true;
            is_removed = false;
            error = Some(format!(
                "{going} of {} would be removed, which are more than half: run kb_source_sync with force => true if \
                 they are gone",
                counted(of as i64, noun(source))
            ));
        }
    }
    if let (true, None) = (is_failed, &error) {
        error = pages.iter().find(|page| page.is_root).and_then(|root| root.error.clone());
        error = error.or_else(|| Some("no page has text".to_string()));
    }
    schedule::end_crawl(source)?;
    set_status(base, source.id, if is_failed { "failed" } else { "indexed" }, error.as_deref(), !is_failed)?;
    Ok(is_removed)
}

/// What the pages of a source are called.
fn noun(source: &Source) -> &'static str {
    if source.content_type == ContentType::GitHub { "file" } else { "page" }
}

/// What the state of the source says about a crawl that has met no error: that it has left out pages.
fn note_of(source: &Source, pages: &[Seen]) -> Option<String> {
    if source.content_type == ContentType::GitHub {
        return pages.iter().find(|page| page.is_root).and_then(|root| root.error.clone());
    }
    let found = pages.iter().filter(|page| page.is_found).count();
    let has_more = source.content_type == ContentType::Docs && !source.is_complete;
    (has_more && found >= source.max_pages as usize)
        .then(|| format!("stopped after {}: raise max_pages to read more", counted(found as i64, "page")))
}

/// The state of a document that several pages lead to.
fn stronger(one: State, other: State) -> State {
    let rank = |state: State| match state {
        State::Kept => 3,
        State::Failed => 2,
        State::NotFound => 1,
        State::Gone => 0,
    };
    if rank(one) >= rank(other) { one } else { other }
}

fn seen(source: &Source) -> Result<Vec<Seen>> {
    let key = if page::keeps_keys() { "document_key" } else { "NULL::text" };
    let sql = spi::render(include_str!("pages_of_source.sql"), &[("document_key", key)]);
    catalog::connect(|c| {
        let args = [Arg::new(source.id)];
        c.query(&sql, Access::Write, Planning::Auto, &args, |row| {
            let (status, error) = Status::from_columns(&row.require::<String>(4)?, row.get(6)?);
            let crawl: i32 = row.require(5)?;
            let state = match status {
                _ if crawl < source.crawl => State::NotFound,
                Status::Gone => State::Gone,
                Status::Failed => State::Failed,
                Status::Skipped => State::NotFound,
                Status::Pending | Status::Indexed => State::Kept,
            };
            Ok(Seen {
                page: row.require(1)?,
                url: row.require(2)?,
                document: row.get(3)?,
                key: row.get(8)?,
                state,
                error,
                is_root: row.require::<i32>(7)? == 0,
                is_found: crawl == source.crawl,
                is_indexed: crawl == source.crawl && status == Status::Indexed,
            })
        })
    })
}

/// What the state of the source says about pages that failed.
fn error_of(source: &Source, failed: &[&Seen], pages: &[Seen]) -> Option<String> {
    let first = failed.first()?;
    let reason = first.error.as_deref().unwrap_or("unknown error");
    if pages.len() == 1 {
        return Some(reason.to_string());
    }
    // The root of a repository is no file.
    let is_repository = source.content_type == ContentType::GitHub;
    let found = pages.iter().filter(|page| page.is_found && !(is_repository && page.is_root)).count();
    let (count, of) = (failed.len(), counted(found as i64, noun(source)));
    let verb = if is_repository { "read" } else { "fetched" };
    Some(format!("{count} of {of} could not be {verb}, first {}: {reason}", first.url))
}

/// The pages whose document was removed, those that are gone, and after a complete crawl those that it did not find.
fn over<'a>(pages: &'a [Seen], gone: &[Uuid], is_complete: bool) -> Vec<&'a Seen> {
    let is_not_found = |page: &Seen| is_complete && page.state == State::NotFound;
    let is_over = |page: &&Seen| match page.document {
        Some(document) => gone.contains(&document) || page.state == State::Gone || is_not_found(page),
        None => is_not_found(page) && !page.is_root,
    };
    pages.iter().filter(is_over).collect()
}

fn ids_of(pages: &[&Seen]) -> Vec<Uuid> {
    pages.iter().map(|page| page.page).collect()
}

/// The documents of these pages that stay, since others lead to them.
fn shared(pages: &[&Seen], gone: &[Uuid]) -> Vec<Uuid> {
    let mut documents: Vec<Uuid> = pages.iter().filter_map(|page| page.document).collect();
    documents.sort_unstable();
    documents.dedup();
    documents.retain(|document| !gone.contains(document));
    documents
}

/// Forgets pages, or the document of those that the crawl has found.
fn forget(source: &Source, over: Vec<Uuid>) -> Result<()> {
    if over.is_empty() {
        return Ok(());
    }
    catalog::connect(|c| {
        c.execute(
            include_str!("forget_pages.sql"),
            &[Arg::new(source.id), Arg::new(over), Arg::new(source.crawl)],
        )
    })?;
    Ok(())
}

/// Ends a crawl that cannot go on, such as after a privilege was revoked. kb_retry and kb_source_sync begin another, and so does
/// auto_sync after its interval.
pub fn fail(base: &KnowledgeBase, source: &Source, error: &str) -> Result<()> {
    catalog::connect(|c| {
        c.execute(include_str!("forget_jobs.sql"), &[Arg::new(base.id), Arg::new(source.id)])
    })?;
    queue::replace_by_failed(base.id, Kind::Source, source.id, error)?;
    schedule::end_crawl(source)?;
    set_status(base, source.id, "failed", Some(error), false)
}

/// Writes the state of a source, for information only.
pub fn set_status(
    base: &KnowledgeBase,
    source: Uuid,
    status: &str,
    error: Option<&str>,
    is_synced: bool,
) -> Result<()> {
    let sql = spi::render(include_str!("set_status.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| {
        let args = [Arg::new(source), Arg::new(status), Arg::new(error), Arg::new(is_synced)];
        c.execute(&sql, &args)
    })?;
    Ok(())
}
