//! Locking a base as a whole.

use std::ffi::CStr;
use std::time::Duration;

use pgrx::pg_sys;

use super::KnowledgeBase;
use crate::error::Result;
use crate::lock::{self, Mode, Patience, Subject, TableLock};

/// The tables that searches read and writers write, in locking order.
const TABLES: [&CStr; 3] = [c"document", c"chunk", c"embedding"];
/// All tables, beginning with those above.
const ALL: [&CStr; 7] =
    [c"document", c"chunk", c"embedding", c"keyword_segment", c"keyword_run", c"setting", c"source"];

impl KnowledgeBase {
    /// How messages name it.
    fn subject(&self) -> String {
        format!("knowledge base \"{}\"", self.name)
    }

    /// Locks on the tables that searches read and writers write.
    pub fn locks(&self, mode: Mode) -> Result<Vec<TableLock>> {
        let tables: Vec<pg_sys::Oid> = TABLES.iter().map(|table| self.table(table)).collect::<Result<_>>()?;
        Ok(TableLock::of(tables, mode))
    }

    /// Locks out writers, and sessions that lock rows, until the end of the transaction. Searches go on, unless the work
    /// `is_short`: then they are locked out for that moment.
    pub fn lock_out_writers(&self, is_short: bool) -> Result<()> {
        if is_short {
            return self.lock_out_all(&[], Patience::of(lock::MOMENT));
        }
        let subject = Subject { name: &self.subject(), gate: None };
        lock::acquire(&subject, Patience::of_session(), || self.locks(Mode::Exclusive))
    }

    /// Locks out those who write vectors, and nobody else, until the end of the transaction.
    pub fn lock_out_embedding(&self) -> Result<()> {
        let subject = Subject { name: &self.subject(), gate: None };
        lock::acquire(&subject, Patience::of_session(), || {
            Ok(TableLock::of([self.table(c"embedding")?], Mode::Share))
        })
    }

    /// Locks out everybody until the end of the transaction, even from the tables `more`. Writers are locked out already, or
    /// nothing is locked.
    pub fn lock_out_all(&self, more: &[pg_sys::Oid], patience: Patience) -> Result<()> {
        // A reader of the view locks it before the tables.
        let mut locks = TableLock::of(self.collection()?, Mode::AccessExclusive);
        locks.extend(self.locks(Mode::AccessExclusive)?);
        locks.extend(TableLock::of(more.iter().copied(), Mode::AccessExclusive));
        lock::strengthen(&Subject { name: &self.subject(), gate: Some(self.id) }, patience, &locks)
    }

    /// Locks out readers of the view that kb_expose made.
    pub(super) fn lock_out_of_collection(&self) -> Result<()> {
        let subject = Subject { name: &self.subject(), gate: None };
        lock::acquire(&subject, Patience::of_session(), || {
            Ok(TableLock::of(self.collection()?, Mode::AccessExclusive))
        })
    }

    /// Waits up to `longest` until, for a moment, nobody uses the base.
    pub fn await_free(&self, longest: Duration) -> Result<()> {
        let subject = Subject { name: &self.subject(), gate: Some(self.id) };
        lock::await_free(&subject, Patience::of(longest), &self.locks(Mode::AccessExclusive)?)
    }

    /// Takes the locks that `list` gives and, with them, locks of `mode` on all tables of the base that exist.
    pub fn lock_with(&self, mode: Mode, list: impl Fn() -> Result<Vec<TableLock>>) -> Result<()> {
        let subject =
            Subject { name: &self.subject(), gate: (mode == Mode::AccessExclusive).then_some(self.id) };
        lock::acquire(&subject, Patience::of_session(), || {
            let mut tables: Vec<pg_sys::Oid> =
                ALL.iter().filter_map(|table| self.table(table).ok()).collect();
            tables.extend(self.next_oid()?);
            let mut locks = TableLock::of(tables, mode);
            locks.extend(list()?);
            Ok(locks)
        })
    }

    /// The table of the vectors of the pending model, if there is one.
    pub fn next_oid(&self) -> Result<Option<pg_sys::Oid>> {
        let Some(table) = self.next_table() else { return Ok(None) };
        let name = std::ffi::CString::new(table).unwrap_or_default();
        Ok(self.table(&name).ok())
    }
}
