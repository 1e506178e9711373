//! Attached tables in kb_reconcile.

use std::time::Duration;

use super::attachment::Attachment;
use super::compare::{self, Compared};
use super::detach;
use super::overview::{self, Source, Status};
use super::write;
use crate::base::{self, KnowledgeBase, Policies};
use crate::catalog;
use crate::error::{Error, Result};
use crate::lock::{self, LockMode, Lockable, Patience, RowPatience, Subject, TableLock};
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::subtransaction;

/// How long to wait for the tables whose triggers change.
const TRIGGERS: Duration = Duration::from_secs(2);

/// Locks the base and its attached tables against changes and TRUNCATE, and keeps workers from reading them: once documents
/// are locked, no table may be waited for.
pub fn hold(base: &KnowledgeBase) -> Result<()> {
    base::hold_attached(base.id)?;
    base.lock_with(LockMode::RowExclusive, || {
        let mut locks = Vec::new();
        for table in Source::for_base(base, Access::Latest)?.into_iter().filter_map(|source| source.table) {
            locks.extend(TableLock::for_tables(write::with_partitions(table)?, LockMode::RowShare));
        }
        Ok(locks)
    })
}

/// Compares the attached tables of a base, which [`hold`] has locked, with their documents and repairs what differs. If a
/// table cannot be followed, its row of `source` records that.
pub fn reconcile(base: &KnowledgeBase, patience: &RowPatience) -> Result<Compared> {
    let mut sum = Compared { repaired: 0, busy: 0 };
    for source in Source::for_base(base, Access::Write)? {
        if has_row(base, &source)? {
            let compared = follow(base, &source, patience)?;
            sum = Compared { repaired: sum.repaired + compared.repaired, busy: sum.busy + compared.busy };
        }
    }
    Ok(sum)
}

/// Corrects the triggers of attached tables: removes those of deleted sources, and adds those for TRUNCATE on partitions
/// that were added later. This comes last, because writers to the tables wait from now on. A table that cannot be locked is
/// skipped.
pub fn correct_triggers(base: &KnowledgeBase) -> Result<()> {
    for source in Source::for_base(base, Access::Write)? {
        let name = format!("table {}", source.location);
        let lock = |locks: &[TableLock]| -> Result<bool> {
            let subject = Subject { name: &name, gate: None };
            match lock::strengthen(&subject, Patience::from_duration(TRIGGERS), locks) {
                Err(error) if error.is_lock() => {
                    error.warn("its triggers stay as they are until kb_reconcile is run again");
                    Ok(false)
                }
                result => result.map(|()| true),
            }
        };
        if !has_row(base, &source)? {
            // The source was deleted, so no documents of it are wanted.
            let followed = base::attached_relations(base.id, Some(source.source_id))?;
            if lock(&TableLock::for_tables(followed, LockMode::AccessExclusive))? {
                detach::forget(base, source.source_id)?;
                pgrx::notice!(
                    "table {} is detached: its row in the table source was deleted",
                    source.location
                );
            }
        } else if let Some(table) = source.table
            && Attachment::read(base, source.source_id, table)?
                .is_some_and(|attachment| attachment.table.is_written_through_others())
            && lock(&write::locks_to_watch(base, source.source_id, table)?)?
        {
            write::watch_truncate(base, source.source_id, table)?;
        }
    }
    correct_policies(base)?;
    write::keep_settings(base)
}

/// Removes policies that follow a source which is gone. No document of it is left: if the tables cannot be locked, the policies stay.
fn correct_policies(base: &KnowledgeBase) -> Result<()> {
    if Policies::read(base)?.are_synced(&base.followed_sources()?) {
        return Ok(());
    }
    match base.lock_out_all(&[], Patience::from_duration(TRIGGERS)) {
        Err(error) if error.is_lock() => {
            error.warn("its policies stay as they are until kb_reconcile is run again");
            Ok(())
        }
        result => result.and_then(|()| base.sync_policies()),
    }
}

fn follow(base: &KnowledgeBase, source: &Source, patience: &RowPatience) -> Result<Compared> {
    let attachment = match source.table {
        Some(table) => Attachment::read(base, source.source_id, table)?,
        None => None,
    };
    let fault = source.fault().or_else(|| attachment.as_ref().and_then(Attachment::fault));
    let Some(attachment) = attachment.filter(|_| fault.is_none()) else {
        let fault = fault.unwrap_or_else(|| format!("table {} was dropped", source.location));
        overview::set_status(base, source.source_id, &Status::Failed(fault.clone()))?;
        Error::not_ready(fault)
            .hint("Attach the table again with kb_attach, or delete its row in the table source.")
            .warn("its documents stay as they are");
        return Ok(Compared { repaired: 0, busy: 0 });
    };
    if let Some(off) = &source.disabled {
        Error::not_ready(format!("triggers of table {} are disabled: {off}", source.location))
            .hint("Enable them again with ALTER TABLE … ENABLE TRIGGER.")
            .warn("rows written meanwhile need kb_reconcile");
    }
    let compared = match subtransaction::attempt(|| compare::repair(base, &attachment, patience)) {
        Err(error) if error.is_repeated_row() => {
            let fault = format!("several rows of table {} have the same key", attachment.table.name);
            overview::set_status(base, source.source_id, &Status::Failed(fault.clone()))?;
            Error::not_ready(fault)
                .hint("Add a primary key again on the columns that it had, or attach the table again.")
                .warn("its documents stay as they are");
            return Ok(Compared { repaired: 0, busy: 0 });
        }
        compared => compared?,
    };
    catalog::connect(|c| c.execute(include_str!("all_read.sql"), &[Arg::new(source.source_id)]))?;
    overview::set_status(base, source.source_id, &Status::Indexed)?;
    Ok(compared)
}

fn has_row(base: &KnowledgeBase, source: &Source) -> Result<bool> {
    let sql = spi::render(include_str!("source_exists.sql"), &[("schema", &base.quoted_schema())]);
    let found = base.connect(|c| {
        c.query_one(&sql, Access::Write, &[Arg::new(source.source_id)], |row| row.require::<pgrx::Uuid>(1))
    })?;
    Ok(found.is_some())
}
