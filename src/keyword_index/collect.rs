//! Collecting what a statement did to chunks, so that it adds one segment and not one for each batch.

use std::cell::RefCell;

use kb_rag_core::segment::Builder;
use pgrx::pg_sys;

use super::size::Configs;
use super::transition::ChunkRow;
use super::{Place, write};
use crate::error::Result;
use crate::spi;

/// A segment is written when this much memory is in use.
const MOST_BYTES: usize = 32 << 20;

/// Chunks that were written and deleted, and are not in the keyword index yet.
#[derive(Default)]
pub struct Changes {
    pub added: Builder,
    pub removed: Builder,
    pub configs_added: Configs,
    pub configs_removed: Configs,
}

impl Changes {
    pub fn add(&mut self, chunk: &ChunkRow) {
        self.added.add(chunk.number, chunk.length, chunk.tsv);
        self.configs_added.add(chunk.text_config, 1);
    }

    pub fn remove(&mut self, chunk: &ChunkRow) {
        self.removed.add(chunk.number, chunk.length, chunk.tsv);
        self.configs_removed.add(chunk.text_config, -1);
    }

    pub fn is_full(&self) -> bool {
        self.added.bytes() + self.removed.bytes() >= MOST_BYTES
    }

    pub fn is_empty(&self) -> bool {
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
    // SAFETY: a variable of the transaction in progress.
    let subtransaction = unsafe { pg_sys::GetCurrentSubTransactionId() };
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
    // SAFETY: as above.
    let subtransaction = unsafe { pg_sys::GetCurrentSubTransactionId() };
    // Taken out: writing runs statements.
    let taken = COLLECTORS.with_borrow_mut(|all| {
        let depth = all.iter().rposition(|c| c.table == table && c.subtransaction == subtransaction)?;
        all.get_mut(depth).map(|open| (depth, std::mem::take(&mut open.changes)))
    });
    let (depth, changes) =
        taken.map_or((None, Changes::default()), |(depth, changes)| (Some(depth), changes));
    let mut notes = Notes { changes, write: &write };
    work(&mut notes)?;
    let changes = notes.changes;
    match depth {
        Some(depth) => COLLECTORS.with_borrow_mut(|all| {
            if let Some(open) = all.get_mut(depth) {
                open.changes = changes;
            }
        }),
        None if changes.is_empty() => {}
        None => write(changes)?,
    }
    Ok(())
}

/// What a statement did to chunks, in the making.
pub struct Notes<'a> {
    changes: Changes,
    write: &'a dyn Fn(Changes) -> Result<()>,
}

impl Notes<'_> {
    pub fn add(&mut self, chunk: &ChunkRow) -> Result<()> {
        self.changes.add(chunk);
        self.write_full()
    }

    pub fn remove(&mut self, chunk: &ChunkRow) -> Result<()> {
        self.changes.remove(chunk);
        self.write_full()
    }

    fn write_full(&mut self) -> Result<()> {
        if self.changes.is_full() { (self.write)(std::mem::take(&mut self.changes)) } else { Ok(()) }
    }
}
