//! The beginning of a crawl, and what becomes of a source or page that cannot be fetched.

use pgrx::Uuid;

use super::fetching::{self, Ready};
use super::firecrawl::RemotePlan;
use super::github::RepositoryPlan;
use super::page::{Outcome, Page, Status};
use super::source::{ContentType, Source};
use super::{crawl, drop, schedule, usage};
use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::queue;

/// What follows for a source that was queued.
pub enum Started {
    /// Its pages are fetched by jobs of their own.
    Pages,
    /// Another source that was due comes first.
    MustWait,
    Repository(RepositoryPlan),
    Remote(RemotePlan),
    /// It does not exist any more, or may not be fetched.
    Ended,
}

/// Begins to fetch a source.
pub fn begin(base: Uuid, source: Uuid) -> Result<Started> {
    let (base, source, fetcher) = match fetching::ready(base, source)? {
        Ready::Source(base, source, fetcher) => (base, source, fetcher),
        Ready::Ended => return Ok(Started::Ended),
    };
    if !source.is_crawling && schedule::must_wait(&source)? {
        return Ok(Started::MustWait);
    }
    Ok(match source.content_type {
        ContentType::GitHub => Started::Repository(RepositoryPlan::begin(&base, &source, fetcher)?),
        _ if source.is_basic() => {
            crawl::begin(&base, &source)?;
            Started::Pages
        }
        _ => Started::Remote(RemotePlan::begin(&base, &source, fetcher)?),
    })
}

/// Fails a source that could not be fetched at all: its documents stay.
pub fn fail_source(base: Uuid, source: Uuid, job: Uuid, reason: &str) -> Result<()> {
    let Some(source) = Source::lock(source)? else { return queue::done(&[job]) };
    let Some(base) = base::by_id(base)?.filter(KnowledgeBase::has_schema) else { return queue::done(&[job]) };
    usage::count(&base, source.provider(), 0, 0, 1)?;
    crawl::fail(&base, &source, reason)
}

/// Fails a page: its document stays.
pub fn fail_page(base: Uuid, page: Uuid, job: Uuid, reason: &str) -> Result<()> {
    let Some(page) = Page::find(page)? else { return queue::done(&[job]) };
    let Some(source) = Source::lock(page.source)? else { return queue::done(&[job]) };
    let Some(base) = base::by_id(base)?.filter(KnowledgeBase::has_schema) else { return queue::done(&[job]) };
    if !source.is_wanted(&base)? {
        return drop::forget(&source);
    }
    let failed = Outcome {
        status: Status::Failed,
        error: Some(reason),
        validators: None,
        document: None,
        links: None,
    };
    page.write(failed)?;
    usage::count(&base, source.provider(), 1, 0, 1)?;
    queue::fail(&[job], reason)?;
    crawl::advance(&base, source.id)
}
