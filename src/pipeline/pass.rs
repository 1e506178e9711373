//! What a worker has learnt about the chunks of its jobs until it ends them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use kb_rag_core::provider::{Reason, Refusal};
use pgrx::Uuid;

use super::chunks::Missing;

/// The results of the chunks so far.
#[derive(Default)]
pub struct Pass {
    /// Chunks that are not read again.
    pub skip: HashSet<Uuid>,
    pub failed: HashMap<Uuid, String>,
    pub later: HashMap<Uuid, (String, Duration)>,
    pub alone_in_a_row: usize,
    /// Whether some batches are parts of one that failed.
    pub was_split: bool,
    /// Why the rest was not tried.
    pub stopped: Option<(String, Duration)>,
    /// Chunks that were sent, and how many of each document.
    sent: HashSet<Uuid>,
    sent_of: HashMap<Uuid, i64>,
    /// How many chunks of each document had no vector at the beginning.
    pub missing_of: HashMap<Uuid, i64>,
    /// Documents that got vectors, and those whose vectors were not kept.
    progressed: HashSet<Uuid>,
    lost: HashSet<Uuid>,
    /// Vectors of documents that another session was writing.
    pub held: Vec<(Missing, Vec<f32>)>,
}

/// After this many chunks that fail in a row, each by itself, the chunks are not the cause.
const MOST_ALONE_IN_A_ROW: usize = 3;

impl Pass {
    /// Counts a chunk that failed by itself. Returns whether the chunk is likely not the cause: the provider does not
    /// respond, or several chunks failed in a row.
    pub fn is_of_all(&mut self, refusal: &Refusal) -> bool {
        self.alone_in_a_row += 1;
        refusal.reason == Reason::TimedOut || self.alone_in_a_row >= MOST_ALONE_IN_A_ROW
    }

    /// Marks chunks as failed.
    pub fn give_up(&mut self, batch: Vec<Missing>, reason: &str) {
        for chunk in batch {
            self.skip.insert(chunk.id);
            self.failed.insert(chunk.document, reason.to_string());
        }
    }

    /// Marks chunks that are retried after a delay.
    pub fn postpone(&mut self, batch: Vec<Missing>, reason: &str, after: Duration) {
        for chunk in batch {
            self.skip.insert(chunk.id);
            self.later.insert(chunk.document, (reason.to_string(), after));
        }
    }

    /// Whether a chunk may be sent: it was not sent yet, and fewer chunks of its document were sent than had no vector.
    /// If so, records it as sent.
    pub fn send(&mut self, chunk: &Missing) -> bool {
        let of_document = self.sent_of.entry(chunk.document).or_default();
        let lacking = self.missing_of.get(&chunk.document).copied().unwrap_or(1);
        if *of_document >= lacking || !self.sent.insert(chunk.id) {
            return false;
        }
        *of_document += 1;
        true
    }

    /// Records that a document got vectors.
    pub fn progress(&mut self, document: Uuid) {
        self.progressed.insert(document);
    }

    /// Records that a document lost a vector that was paid for.
    pub fn lose(&mut self, document: Uuid) {
        self.lost.insert(document);
    }

    /// Whether a document got vectors and kept all of them: then earlier failures do not count.
    pub fn has_progressed(&self, document: &Uuid) -> bool {
        self.progressed.contains(document) && !self.lost.contains(document)
    }

    /// Whether a document lost a vector that was paid for.
    pub fn has_lost(&self, document: &Uuid) -> bool {
        self.lost.contains(document)
    }

    /// Keeps vectors of a document that another session is writing, to write them later. They are not requested again.
    pub fn hold(&mut self, chunk: Missing, vector: Vec<f32>) {
        self.skip.insert(chunk.id);
        self.held.push((chunk, vector));
    }

    /// Failed documents for which nothing will be retried.
    pub fn given_up(&self) -> impl Iterator<Item = (&Uuid, &String)> {
        let nothing_left = |document: &Uuid| self.stopped.is_none() && !self.later.contains_key(document);
        self.failed.iter().filter(move |(document, _)| nothing_left(document))
    }
}
