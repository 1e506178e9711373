//! Locking a base as a whole: which of its tables, and in which order.

use std::ffi::CStr;

use pgrx::{Uuid, pg_sys};

use crate::error::Result;
use crate::lock::{self, LockMode, Patience, Subject, TableLock};

/// The tables that searches read and writers write, in locking order.
const TABLES: [&CStr; 3] = [c"document", c"chunk", c"embedding"];
/// All tables, beginning with those above.
const ALL: [&CStr; 7] =
    [c"document", c"chunk", c"embedding", c"keyword_segment", c"keyword_run", c"setting", c"source"];

/// A knowledge base, as those who lock it see it.
pub trait Lockable {
    /// Its id, which its gate has too.
    fn id(&self) -> Uuid;

    /// Its name, for messages.
    fn name(&self) -> &str;

    /// The schema of its tables; None if that is gone.
    fn namespace(&self) -> Option<pg_sys::Oid>;

    /// One of its tables. 42704 if it was dropped or renamed.
    fn table(&self, name: &CStr) -> Result<pg_sys::Oid>;

    /// The tables of the pending model, if there is one: its vectors, and chunks that are cut for it.
    fn next_oids(&self) -> Vec<pg_sys::Oid>;

    /// The views that kb_expose made.
    fn views(&self) -> Result<Vec<pg_sys::Oid>>;

    /// How messages name it.
    fn subject(&self) -> String {
        format!("knowledge base \"{}\"", self.name())
    }

    /// Locks on the tables that searches read and writers write.
    fn locks(&self, mode: LockMode) -> Result<Vec<TableLock>> {
        let tables: Vec<pg_sys::Oid> = TABLES.iter().map(|table| self.table(table)).collect::<Result<_>>()?;
        Ok(TableLock::for_tables(tables, mode))
    }

    /// Locks out writers, and sessions that lock rows, until the end of the transaction. Searches go on, unless the work
    /// `is_short`: then they are locked out for that moment.
    fn lock_out_writers(&self, is_short: bool) -> Result<()> {
        if is_short {
            return self.lock_out_all(&[], Patience::from_duration(lock::MOMENT));
        }
        let subject = Subject { name: &self.subject(), gate: None };
        lock::acquire(&subject, Patience::of_session(), || self.locks(LockMode::Exclusive))
    }

    /// Locks out those who write vectors, and nobody else, until the end of the transaction.
    fn lock_out_embedding(&self) -> Result<()> {
        let subject = Subject { name: &self.subject(), gate: None };
        lock::acquire(&subject, Patience::of_session(), || {
            Ok(TableLock::for_tables([self.table(c"embedding")?], LockMode::Share))
        })
    }

    /// Locks out everybody until the end of the transaction, even from the tables `more`. Writers are locked out already, or
    /// nothing is locked.
    fn lock_out_all(&self, more: &[pg_sys::Oid], patience: Patience) -> Result<()> {
        // A reader of a view locks it before the tables.
        let mut locks = TableLock::for_tables(self.views()?, LockMode::AccessExclusive);
        locks.extend(self.locks(LockMode::AccessExclusive)?);
        locks.extend(TableLock::for_tables(more.iter().copied(), LockMode::AccessExclusive));
        lock::strengthen(&Subject { name: &self.subject(), gate: Some(self.id()) }, patience, &locks)
    }

    /// Locks out readers of the views that kb_expose made.
    fn lock_out_of_views(&self) -> Result<()> {
        let subject = Subject { name: &self.subject(), gate: None };
        lock::acquire(&subject, Patience::of_session(), || {
            Ok(TableLock::for_tables(self.views()?, LockMode::AccessExclusive))
        })
    }

    /// Takes the locks that `list` gives and, with them, locks of `mode` on all tables of the base that exist.
    fn lock_with(&self, mode: LockMode, list: impl Fn() -> Result<Vec<TableLock>>) -> Result<()> {
        let subject =
            Subject { name: &self.subject(), gate: (mode == LockMode::AccessExclusive).then_some(self.id()) };
        lock::acquire(&subject, Patience::of_session(), || {
            let mut tables: Vec<pg_sys::Oid> =
                ALL.iter().filter_map(|table| self.table(table).ok()).collect();
            tables.extend(self.next_oids());
            let mut locks = TableLock::for_tables(tables, mode);
            locks.extend(list()?);
            Ok(locks)
        })
    }
}
