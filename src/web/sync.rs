//! kb_source_sync, and the part of kb_refresh that fetches a page again.

use pgrx::Uuid;

use super::access;
use super::other;
use super::page::{self, Page};
use super::schedule;
use super::source::Source;
use super::wait;
use crate::base::{self, KnowledgeBase};
use crate::catalog;
use crate::error::Result;
use crate::postgres::role;
use crate::postgres::spi::{Access, Arg, Planning};
use crate::queue::{self, Kind};

/// Queues one source, or those that are due in the bases to which the caller may write; returns how many. `force` lets the
/// crawl remove most of the pages, and has it fetch also what has not changed.
pub fn sync(source: Option<Uuid>, force: bool) -> Result<i64> {
    match source {
        Some(id) => sync_one(id, force).map(|()| 1),
        None => sync_due(force),
    }
}

fn sync_one(id: Uuid, force: bool) -> Result<()> {
    let unknown = || other::unknown(id);
    let source = Source::find(id, Access::Write)?.ok_or_else(unknown)?;
    let base = base::by_id(source.base)?.filter(KnowledgeBase::has_schema).ok_or_else(unknown)?;
    base.require_read().map_err(|_| unknown())?;
    base::naming_base(&base.name, "written to", || {
        access::provider_for(&source, &base, role::current_role())?;
        if !access::is_own(&source, &base)? {
            return Err(unknown());
        }
        queue_one(&base, &source, force)
    })
}

fn queue_one(base: &KnowledgeBase, source: &Source, force: bool) -> Result<()> {
    if !wait::may_begin(base, source, force)? {
        return Ok(());
    }
    if force {
        schedule::force(source.id)?;
    }
    queue::requeue(base.id, Kind::Source, source.id)
}

fn sync_due(force: bool) -> Result<i64> {
    let due = catalog::connect(|c| {
        c.query(include_str!("due_or_restored.sql"), Access::Write, Planning::Auto, &[], |row| {
            row.require::<Uuid>(1)
        })
    })?;
    let mut queued = 0;
    for id in due {
        let Some(source) = Source::find(id, Access::Write)? else { continue };
        let Some(base) = base::by_id(source.base)?.filter(KnowledgeBase::has_schema) else { continue };
        // Those of others are left out.
        let may_sync = base.require_read().is_ok()
            && access::provider_for(&source, &base, role::current_role()).is_ok()
            && access::is_own(&source, &base)?;
        if may_sync {
            queue_one(&base, &source, force)?;
            queued += 1;
        }
    }
    Ok(queued)
}

/// Queues the pages that a document was made from. False for a document that comes from elsewhere.
pub fn refresh(base: &KnowledgeBase, document: Uuid) -> Result<bool> {
    let pages = page::of_document(base.id, document)?;
    let Some(first) = pages.first() else { return Ok(false) };
    let Some(source) = Source::find(first.source, Access::Write)? else { return Ok(false) };
    if let Err(error) = access::provider_for(&source, base, role::current_role()) {
        if !error.is_denied() {
            return Err(error);
        }
        error.warn("the page is not fetched again");
        return Ok(false);
    }
    if !source.is_basic() || source.provider() != "web" {
        // A repository, or Firecrawl, gives all pages at once.
        return queue_one(base, &source, false).map(|()| true);
    }
    // Each of those of the last crawl: their texts may be the same no more.
    for page in pages.iter().filter(|page| page.crawl == first.crawl) {
        wait_for(page)?;
        queue::requeue(base.id, Kind::Fetch, page.id)?;
    }
    Ok(true)
}

/// Marks a page as to be fetched, whatever its validators are.
fn wait_for(page: &Page) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("refetch_page.sql"), &[Arg::new(page.id)]))?;
    Ok(())
}
