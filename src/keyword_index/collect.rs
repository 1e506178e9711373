//! Collecting what a statement did to chunks, so that it adds one segment and not one for each batch.

use std::cell::RefCell;

use kb_rag_core::segment::Builder;
use pgrx::pg_sys;

use super::size::Configs;
use super::transition::ChunkRow;
use super::{Place, write};
use crate::error::Result;
use crate::postgres::spi;
use crate::postgres::subtransaction;

/// A segment is written when this much memory is in use.
const MAX_BYTES: usize = 32 << 20;

/// Chunks that were written and deleted, and are not in the keyword index yet.
#[derive(Default)]
pub struct Changes {
    pub added: Builder,
    pub removed: Builder,
    pub configs_added: Configs,
    pub configs_removed: Configs,
}

impl Changes {
    fn add(&mut self, chunk: &ChunkRow) {
        self.added.add(chunk.number, chunk.length, chunk.tsv);
        self.configs_added.add(chunk.text_config, 1);
    }

    fn remove(&mut self, chunk: &ChunkRow) {
        self.removed.add(chunk.number, chunk.length, chunk.tsv);
        self.configs_removed.add(chunk.text_config, -1);
    }

    fn is_full(&self) -> bool {
        self.added.bytes() + self.removed.bytes() >= MAX_BYTES
    }

    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

struct Collector {
    /// The table chunk.
    table: pg_sys::Oid,
    /// What is collected in a subtransaction would outlive its rollback: it is written at once.
    subtransaction: pg_sys::SubTransactionId,
    changes: Changes,
}

thread_local! {
    /// One for each statement in progress that writes documents.
    static COLLECTORS: RefCell<Vec<Collector>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work`, which writes chunks in batches, and then adds them to the keyword index. Run as the owner of the
/// base.
pub fn collecting<T>(place: &Place, work: impl FnOnce() -> Result<T>) -> Result<T> {
    /// Drops the collector, with what it has if an error unwinds past it.
    struct Ends(usize);
    impl Drop for Ends {
        fn drop(&mut self) {
            COLLECTORS.with_borrow_mut(|all| all.truncate(self.0));
        }
    }
    let subtransaction = subtransaction::current();
    let depth = COLLECTORS.with_borrow_mut(|all| {
        all.push(Collector { table: place.chunk, subtransaction, changes: Changes::default() });
        all.len() - 1
    });
    let ends = Ends(depth);
    let result = work()?;
    let changes =
        COLLECTORS.with_borrow_mut(|all| all.get_mut(depth).map(|c| std::mem::take(&mut c.changes)));
    drop(ends);
    if let Some(changes) = changes.filter(|changes| !changes.is_empty()) {
        spi::connect(|c| write::write(c, place, changes))?;
    }
    Ok(result)
}

/// Passes what a statement did to the table `chunk` to a collector, or to `write`.
pub fn noting(
    table: pg_sys::Oid,
    write: impl Fn(Changes) -> Result<()>,
    work: impl FnOnce(&mut Notes) -> Result<()>,
) -> Result<()> {
    let subtransaction = subtransaction::current();
    let depth = COLLECTORS
        .with_borrow(|all| all.iter().rposition(|c| c.table == table && c.subtransaction == subtransaction));
    // Exchanges the changes of the collector, if there is one. They are taken out meanwhile: writing runs statements.
    let exchange = |changes| match depth {
        Some(depth) => COLLECTORS.with_borrow_mut(|all| match all.get_mut(depth) {
            Some(open) => std::mem::replace(&mut open.changes, changes),
            None => changes,
        }),
        None => changes,
    };
    let mut notes = Notes { changes: exchange(Changes::default()), write: &write };
    work(&mut notes)?;
    notes.changes = exchange(std::mem::take(&mut notes.changes));
    notes.end()
}

/// What a statement did to chunks, written whenever much of it is collected.
pub struct Notes<'a> {
    changes: Changes,
    write: &'a dyn Fn(Changes) -> Result<()>,
}

impl<'a> Notes<'a> {
    pub fn new(write: &'a dyn Fn(Changes) -> Result<()>) -> Notes<'a> {
        Notes { changes: Changes::default(), write }
    }

    pub fn add(&mut self, chunk: &ChunkRow) -> Result<()> {
        self.changes.add(chunk);
        self.write_full()
    }

    pub fn remove(&mut self, chunk: &ChunkRow) -> Result<()> {
        self.changes.remove(chunk);
        self.write_full()
    }

    /// Writes the rest.
    pub fn end(self) -> Result<()> {
        if self.changes.is_empty() { Ok(()) } else { (self.write)(self.changes) }
    }

    fn write_full(&mut self) -> Result<()> {
        if self.changes.is_full() { (self.write)(std::mem::take(&mut self.changes)) } else { Ok(()) }
    }
}
