//! What a worker has learnt of the passages of its jobs until it ends them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use kb_rag_core::provider::{Reason, Refusal};
use pgrx::Uuid;

use super::chunks::Missing;

/// What became of passages so far.
#[derive(Default)]
pub struct Pass {
    /// Passages that are not read again.
    pub skip: HashSet<Uuid>,
    pub failed: HashMap<Uuid, String>,
    pub later: HashMap<Uuid, (String, Duration)>,
    pub alone_in_a_row: usize,
    /// Some batches are parts of one that failed.
    pub was_split: bool,
    /// Why the rest was not even tried.
    pub stopped: Option<(String, Duration)>,
}

/// Passages that fail one after the other, each by itself: then it is not the passages.
const MOST_ALONE_IN_A_ROW: usize = 3;

impl Pass {
    /// Notes that a passage failed by itself; whether it is likely not the passage: nobody answers, or several failed in a row.
    pub fn is_of_all(&mut self, refusal: &Refusal) -> bool {
        self.alone_in_a_row += 1;
        refusal.reason == Reason::TimedOut || self.alone_in_a_row >= MOST_ALONE_IN_A_ROW
    }

    /// Passages that cannot be embedded.
    pub fn give_up(&mut self, batch: Vec<Missing>, reason: &str) {
        for chunk in batch {
            self.skip.insert(chunk.id);
            self.failed.insert(chunk.document, reason.to_string());
        }
    }

    /// Passages that are tried again after a while.
    pub fn postpone(&mut self, batch: Vec<Missing>, reason: &str, after: Duration) {
        for chunk in batch {
            self.skip.insert(chunk.id);
            self.later.insert(chunk.document, (reason.to_string(), after));
        }
    }

    /// Documents of which nothing is to be tried again.
    pub fn given_up(&self) -> impl Iterator<Item = (&Uuid, &String)> {
        let nothing_left = |document: &Uuid| self.stopped.is_none() && !self.later.contains_key(document);
        self.failed.iter().filter(move |(document, _)| nothing_left(document))
    }
}
