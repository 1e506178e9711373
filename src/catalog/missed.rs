//! What triggers do while library and SQL have different formats: they must not fail, since an application goes on writing,
//! and must not touch what may have another format. They note what was written in `kb_rag.missed_write`, whose shape never
//! changes. When the formats are equal again, workers compare what is noted.

use std::cell::{Cell, RefCell};

use pgrx::{Uuid, pg_sys};

use super::{connect, owner, table};
use crate::error::{Error, Result};
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::subtransaction;
use crate::postgres::transaction;

/// A base, and its source if rows of an attached table were written; None for documents and chunks.
pub type Missed = (Uuid, Option<Uuid>);

thread_local! {
    /// What the transaction in progress has noted, each with the subtransaction that did.
    static NOTED: RefCell<Vec<(Missed, pg_sys::SubTransactionId)>> = const { RefCell::new(Vec::new()) };
    static WATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Notes that a trigger of a base did nothing because of `difference`, with a warning once a session. One row for each
/// transaction, base and source, and no unique key: writers do not wait for each other.
pub fn note(missed: Option<Missed>, difference: Error) -> Result<()> {
    if let Some(missed) = missed {
        append(missed)?;
    }

    difference.warn_once("documents and keyword index are updated later");
    Ok(())
}

/// Whether the transaction in progress asks this of a base for the first time.
pub fn is_first(base: Uuid) -> bool {
    let missed = (base, None);
    let is_first = NOTED.with_borrow(|noted| noted.iter().all(|(known, _)| *known != missed));
    if is_first {
        watch();
        NOTED.with_borrow_mut(|noted| noted.push((missed, subtransaction::current())));
    }
    is_first
}

fn append(missed: Missed) -> Result<()> {
    if NOTED.with_borrow(|noted| noted.iter().any(|(known, _)| *known == missed)) {
        return Ok(());
    }
    let (base, source) = missed;
    as_owner(c"missed_write", |c| {
        c.execute(include_str!("note_missed.sql"), &[Arg::new(base), Arg::new(source)]).map(drop)
    })?;
    watch();
    NOTED.with_borrow_mut(|noted| noted.push((missed, subtransaction::current())));
    Ok(())
}

/// Runs `work` on a table whose shape never changes, whatever the format is. Does nothing where the extension was dropped.
pub fn as_owner(name: &std::ffi::CStr, work: impl FnOnce(&Connection) -> Result<()>) -> Result<()> {
    if table(name).is_none() {
        return Ok(());
    }
    role::switch_to(owner()?, || spi::connect(work))
}

/// Removes and returns what committed transactions have noted, of one base or of all.
pub fn take(base: Option<Uuid>) -> Result<Vec<Missed>> {
    connect(|c| {
        let sql = include_str!("take_missed.sql");
        let mut all = c.query(sql, Access::Write, Planning::Auto, &[Arg::new(base)], |row| {
            Ok((row.require::<Uuid>(1)?, row.get::<Uuid>(2)?))
        })?;
        all.sort_unstable_by_key(|(base, source)| {
            (*base.as_bytes(), source.map(|source| *source.as_bytes()))
        });
        all.dedup();
        Ok(all)
    })
}

fn watch() {
    if !WATCHING.replace(true) {
        transaction::on_end(|_| NOTED.with_borrow_mut(Vec::clear));
        subtransaction::on_end(subtransaction_ends);
    }
}

/// What a subtransaction noted is gone if it is rolled back, and its parent's if it is committed.
fn subtransaction_ends(end: subtransaction::End) {
    NOTED.with_borrow_mut(|noted| match end {
        subtransaction::End::Commit { own, parent } => {
            noted.iter_mut().filter(|(_, by)| *by == own).for_each(|(_, by)| *by = parent);
        }
        subtransaction::End::Abort { own } => noted.retain(|(_, by)| *by != own),
    });
}
