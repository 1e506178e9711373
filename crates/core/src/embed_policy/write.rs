//! Writing vectors that were paid for. Writers of the documents never wait for it, nor fail because of it. An error or
//! a delay that the owner's code causes for one document does not lose vectors of the others.

use core::time::Duration;
use std::collections::{HashMap, HashSet};

use super::one_by_one::{Failure, OneByOne};
use super::step::{Decision, Step};
use super::{Id, Policy, Vectors};

/// How long to wait for tables that another session has locked, and for documents that another session is writing.
pub(super) const TABLE_PATIENCE: Duration = Duration::from_secs(5);
pub(super) const DOCUMENT_PATIENCE: Duration = Duration::from_secs(1);
/// The interval between two attempts.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Which vectors are written.
pub(super) enum Part<I> {
    /// Those of an answer, since this time.
    Batch(Duration),
    /// Those of documents that other sessions were writing, since this time.
    Held(Duration),
    /// Those of one document, after an error. With when writing held vectors began.
    Document(OneByOne<Vectors<I>>, Option<Duration>),
}

/// To write vectors in one transaction: [`Action::Write`](super::Action::Write).
#[must_use]
pub struct Write<'a, I> {
    pub(super) policy: &'a mut Policy<I>,
    pub(super) vectors: Vectors<I>,
    pub(super) part: Part<I>,
}

impl<I: Id> Write<'_, I> {
    /// The vectors to write.
    pub fn vectors(&self) -> &Vectors<I> {
        &self.vectors
    }

    /// Whether to write only if the worker keeps its place among the workers for the owner, which an error released.
    pub fn needs_share(&self) -> bool {
        matches!(self.part, Part::Document(..))
    }

    /// The vectors were written. `kept`: the chunks that had no vector and have one now. `busy`: the documents that
    /// were left out because another session is writing them.
    pub fn written(self, kept: &HashSet<I>, busy: &HashSet<I>) {
        let Write { policy, vectors, part } = self;
        policy.progress.written(vectors, kept, busy);
        let next = match part {
            Part::Batch(_) => Decision::Proceed,
            Part::Held(began) => Decision::Hold(Some(began)),
            Part::Document(rest, held_since) => Decision::WriteEach(rest, held_since),
        };
        policy.step = next.into();
    }

    /// Another session has a table locked. Nothing was written.
    pub fn locked(self) {
        let Write { policy, vectors, part } = self;
        let next = match part {
            Part::Batch(began) => Decision::Locked(vectors, began),
            Part::Held(began) => {
                policy.progress.hold(vectors);
                Decision::Hold(Some(began))
            }
            Part::Document(rest, held_since) => Decision::WriteEach(rest.failing(vectors), held_since),
        };
        policy.step = next.into();
    }

    /// The vectors are no longer needed.
    pub fn unwanted(self) {
        let Write { policy, vectors, part } = self;
        policy.step = match part {
            Part::Batch(_) | Part::Held(_) => Step::Abandon,
            Part::Document(rest, held_since) => Decision::WriteEach(rest.failing(vectors), held_since).into(),
        };
    }

    /// The worker has lost its place among the workers for the owner. Nothing was tried.
    pub fn share_lost(self) {
        self.locked();
    }

    /// The owner's code raised an error. Nothing was written. `patience`: how long documents may be tried one by one.
    pub fn failed(self, failure: Failure, patience: Duration) {
        let Write { policy, vectors, part } = self;
        let (rest, held_since) = match part {
            Part::Batch(_) => (OneByOne::new(by_document(vectors), failure, patience), None),
            Part::Held(began) => (OneByOne::new(by_document(vectors), failure, patience), Some(began)),
            Part::Document(rest, held_since) => (rest.failing_with(vectors, failure), held_since),
        };
        policy.step = Decision::WriteEach(rest, held_since).into();
    }
}

/// The vectors of each document.
fn by_document<I: Id>(vectors: Vectors<I>) -> Vec<Vectors<I>> {
    let mut places: HashMap<I, usize> = HashMap::new();
    let mut parts: Vec<Vectors<I>> = Vec::new();
    for (chunk, vector) in vectors {
        let place = *places.entry(chunk.document).or_insert(parts.len());
        if place == parts.len() {
            parts.push(Vec::new());
        }
        parts[place].push((chunk, vector));
    }
    parts
}
