//! The limit of the chunks that a statement embeds itself, and the notice of a statement that reached it.

use std::cell::Cell;

use crate::error::{Error, Result};

/// How many chunks a statement embeds at most, and how many lacked a vector so far.
pub struct Limit {
    max: usize,
    chunks: Cell<usize>,
}

impl Limit {
    /// A limit of this many chunks.
    pub fn new(max: usize) -> Limit {
        Limit { max, chunks: Cell::new(0) }
    }

    /// Whether the next chunk is within the limit; counts it.
    pub fn take(&self) -> bool {
        let before = self.chunks.get();
        self.chunks.set(before + 1);
        before < self.max
    }

    /// Counts the chunks for the notice. With a limit of 0 all chunks wait for the workers, which is no surprise.
    pub fn count_waiting(&self) {
        if self.max > 0
            && let Some(count) = COUNT.get()
        {
            let chunks = self.chunks.get();
            COUNT.set(Some(Count {
                waiting: count.waiting + chunks.saturating_sub(self.max),
                chunks: count.chunks + chunks,
            }));
        }
    }
}

/// The chunks of a statement that lacked a vector, and how many of them it left to the workers.
#[derive(Clone, Copy, Default)]
struct Count {
    waiting: usize,
    chunks: usize,
}

thread_local! {
    /// None outside of [`notify_once`].
    static COUNT: Cell<Option<Count>> = const { Cell::new(None) };
}

/// Runs `work`, which may write documents with several statements of kb_rag, and notifies the user once how many chunks wait
/// for the workers because the limit was reached.
pub fn notify_once<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    /// Errors of PostgreSQL unwind and end it, too.
    struct Scope;
    impl Drop for Scope {
        fn drop(&mut self) {
            COUNT.set(None);
        }
    }
    if COUNT.get().is_some() {
        return work();
    }
    COUNT.set(Some(Count::default()));
    let _scope = Scope;
    let result = work()?;
    if let Some(Count { waiting: waiting @ 1.., chunks }) = COUNT.get() {
        let wait = if waiting == 1 { "waits for its vector" } else { "wait for their vectors" };
        Error::remark(format!("{waiting} of {chunks} chunks {wait}"))
            .hint("See kb_rag.status for progress.")
            .notify();
    }
    Ok(result)
}
