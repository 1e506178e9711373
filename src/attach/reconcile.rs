//! What kb_reconcile does with attached tables.

use super::attachment::Attachment;
use super::compare;
use super::detach;
use super::overview::{self, Source, Status};
use super::write;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::role;
use crate::spi::{self, Access, Arg};

/// Compares the attached tables of a base with their documents and repairs what differs; returns how many documents had
/// to be. The source of a table that cannot be followed says so from then on.
pub fn reconcile(base: &KnowledgeBase) -> Result<i64> {
    let mut repaired = 0;
    for source in Source::of(base, Access::Write)? {
        if !has_row(base, &source)? {
            // Who deleted the source wants no documents of it.
            detach::forget(base, source.source_id)?;
            pgrx::notice!("table {} is detached: its row of the table source was deleted", source.location);
            continue;
        }
        repaired += follow(base, &source)?;
    }
    write::keep_settings(base)?;
    Ok(repaired as i64)
}

fn follow(base: &KnowledgeBase, source: &Source) -> Result<u64> {
    let attachment = match source.table {
        Some(table) => Attachment::read(base, source.source_id, table)?,
        None => None,
    };
    let fault = source.fault().or_else(|| attachment.as_ref().and_then(Attachment::fault));
    let Some(attachment) = attachment.filter(|_| fault.is_none()) else {
        let fault = fault.unwrap_or_else(|| format!("table {} was dropped", source.location));
        overview::set_status(base, source.source_id, &Status::Failed(fault.clone()))?;
        Error::not_ready(fault)
            .hint("Attach the table again with kb_attach, or delete the row of the table source.")
            .warn("its documents stay as they are");
        return Ok(0);
    };
    if let Some(off) = &source.disabled {
        Error::not_ready(format!("triggers of table {} are disabled: {off}", source.location))
            .hint("ALTER TABLE … ENABLE TRIGGER lets them run again.")
            .warn("what is written meanwhile needs kb_reconcile");
    }
    if attachment.table.is_written_through_others() {
        write::watch_truncate(base, source.source_id, attachment.table.oid)?;
    }
    let repaired = compare::repair(base, &attachment)?;
    role::as_catalogue_owner(|| {
        spi::connect(|c| c.execute(include_str!("all_read.sql"), &[Arg::new(source.source_id)]))
    })?;
    overview::set_status(base, source.source_id, &Status::Indexed)?;
    Ok(repaired)
}

fn has_row(base: &KnowledgeBase, source: &Source) -> Result<bool> {
    let sql = spi::render(include_str!("source_exists.sql"), &[("schema", &base.quoted_schema())]);
    let found = base.as_owner(|| {
        spi::connect(|c| {
            c.query_one(&sql, Access::Write, &[Arg::new(source.source_id)], |row| {
                row.require::<pgrx::Uuid>(1)
            })
        })
    })?;
    Ok(found.is_some())
}
