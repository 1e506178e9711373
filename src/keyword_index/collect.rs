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

/// Lets `note` note what a statement did to the table `chunk`, and returns what must be written now.
pub fn note(table: pg_sys::Oid, note: impl FnOnce(&mut Changes) -> Result<()>) -> Result<Option<Changes>> {
    // SAFETY: as above.
    let subtransaction = unsafe { pg_sys::GetCurrentSubTransactionId() };
    COLLECTORS.with_borrow_mut(|all| {
        let open = all.iter_mut().rev().find(|c| c.table == table && c.subtransaction == subtransaction);
        let Some(open) = open else {
            let mut changes = Changes::default();
            note(&mut changes)?;
            return Ok(Some(changes).filter(|changes| !changes.is_empty()));
        };
        note(&mut open.changes)?;
        Ok(open.changes.is_full().then(|| std::mem::take(&mut open.changes)))
    })
}
