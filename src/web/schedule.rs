//! When sources are fetched again, and their crawls under way: kb_rag.web_schedule, which is not dumped.

use pgrx::Uuid;

use super::source::Source;
use super::wait;
use crate::catalog;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg, Planning};
use crate::queue::{self, Kind};

/// Records that a source is about to be fetched. What is known of its pages is forgotten where its settings may have changed.
pub fn begin(source: &Source) -> Result<()> {
    catalog::connect(|c| {
        c.execute(include_str!("schedule_begin.sql"), &[Arg::new(source.id)])?;
        c.execute(include_str!("forget_validators.sql"), &[Arg::new(source.id)])
    })?;
    Ok(())
}

/// Allows the next crawl to remove most of the pages, and has it fetch every page.
pub fn force(source: Uuid) -> Result<()> {
    catalog::connect(|c| {
        c.execute(include_str!("schedule_force.sql"), &[Arg::new(source)])?;
        c.execute(include_str!("forget_validators.sql"), &[Arg::new(source)])
    })?;
    Ok(())
}

/// Begins a crawl, and returns its number.
pub fn begin_crawl(source: &Source) -> Result<i32> {
    let crawl = catalog::connect(|c| {
        c.execute(include_str!("schedule_crawl.sql"), &[Arg::new(source.id)])?;
        c.query_one(include_str!("next_crawl.sql"), Access::Write, &[Arg::new(source.id)], |row| {
            row.require(1)
        })
    })?;
    Ok(crawl.unwrap_or(source.crawl + 1))
}

/// Records that a crawl cannot find all pages: pages that it does not find stay.
pub fn incomplete(source: Uuid) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("schedule_incomplete.sql"), &[Arg::new(source)]))?;
    Ok(())
}

/// Ends a crawl, and sets the time of the next one.
pub fn end_crawl(source: &Source) -> Result<()> {
    catalog::connect(|c| {
        let args = [Arg::new(source.id), Arg::new(source.auto_sync), Arg::new(source.sync_interval)];
        c.execute(include_str!("schedule_end.sql"), &args)
    })?;
    // A try is for one crawl.
    wait::tried(source.id, false)
}

/// Keeps the identifier of a crawl at Firecrawl.
pub fn set_remote_crawl(source: Uuid, id: Option<&str>) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("schedule_remote.sql"), &[Arg::new(source), Arg::new(id)]))?;
    Ok(())
}

/// Whether another source that was due is being fetched: sources are fetched again one at a time.
pub fn must_wait(source: &Source) -> Result<bool> {
    queue::lock_turns();
    let found = catalog::connect(|c| {
        c.query_one(include_str!("must_wait.sql"), Access::Write, &[Arg::new(source.id)], |row| {
            row.require::<bool>(1)
        })
    })?;
    Ok(found == Some(true))
}

/// Queues the sources that are due; returns how many.
pub fn queue_due() -> Result<i64> {
    // Others who queue them have committed, and are seen.
    queue::lock_turns();
    let due = catalog::connect(|c| {
        c.query(include_str!("due_sources.sql"), Access::Write, Planning::Custom, &[], |row| {
            Ok((row.require::<Uuid>(1)?, row.require::<Uuid>(2)?))
        })
    })?;
    for (source, base) in &due {
        queue::requeue(*base, Kind::Source, *source)?;
    }
    Ok(due.len() as i64)
}
