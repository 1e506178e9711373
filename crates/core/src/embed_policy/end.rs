//! The end of jobs: completes documents, and says what becomes of the others.

use core::time::Duration;

use super::one_by_one::{Failure, OneByOne};
use super::step::{Decision, Step};
use super::{Id, Outcome, Policy};

/// A claimed document that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<I> {
    /// The document.
    pub document: I,
    /// Whether another session is writing it, so that its status cannot be written.
    pub is_busy: bool,
    /// Whether a chunk of it has no vector.
    pub is_incomplete: bool,
}

/// The end of the jobs of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending<I> {
    /// The document.
    pub document: I,
    /// The outcome of its jobs.
    pub outcome: Outcome,
    /// Whether earlier failures do not count: the document got vectors since.
    pub forgets_failures: bool,
    /// The chunks that were sent and answered with what cannot be used, each as often as that. None if it is as the claim
    /// says.
    pub unusable: Option<Vec<I>>,
}

/// Whose jobs are ended.
pub(super) enum Jobs<I> {
    /// Those of all documents.
    All(Vec<I>),
    /// Those of one document, after an error; with the documents that remain.
    Of(I, OneByOne<I>),
}

/// To end jobs in one transaction: [`Action::End`](super::Action::End).
#[must_use]
pub struct End<'a, I> {
    pub(super) policy: &'a mut Policy<I>,
    pub(super) jobs: Jobs<I>,
}

impl<I: Id> End<'_, I> {
    /// The documents whose jobs are ended.
    pub fn documents(&self) -> &[I] {
        match &self.jobs {
            Jobs::All(documents) => documents,
            Jobs::Of(document, _) => core::slice::from_ref(document),
        }
    }

    /// Whether to go on only if the worker keeps its place among the workers for the owner, which an error released.
    pub fn needs_share(&self) -> bool {
        matches!(self.jobs, Jobs::Of(..))
    }

    /// The outcomes of the jobs. `found`: those of the documents that exist; None if another session has a table
    /// locked.
    pub fn endings(&self, found: Option<&[Found<I>]>) -> Vec<Ending<I>> {
        let progress = &self.policy.progress;
        let Some(found) = found else {
            let locked = |&document: &I| Ending {
                unusable: progress.unusable(document),
                ..Ending::new(document, progress.locked(document))
            };
            return self.documents().iter().map(locked).collect();
        };
        let ending = |&document: &I| match found.iter().find(|found| found.document == document) {
            None => Ending::new(document, Outcome::Gone),
            Some(found) if found.is_busy || found.is_incomplete => Ending {
                document,
                outcome: progress.incomplete(document, found.is_busy),
                forgets_failures: progress.has_progressed(document),
                unusable: progress.unusable(document),
            },
            Some(_) => Ending::new(document, Outcome::Complete),
        };
        self.documents().iter().map(ending).collect()
    }

    /// The jobs have ended as [`End::endings`] says, or are no longer needed.
    pub fn ended(self) {
        self.policy.step = match self.jobs {
            Jobs::All(_) => Step::Done,
            Jobs::Of(_, rest) => Decision::EndEach(rest).into(),
        };
    }

    /// The worker has lost its place among the workers for the owner. Nothing was tried.
    pub fn share_lost(self) {
        self.policy.step = match self.jobs {
            Jobs::All(_) => Step::Done,
            Jobs::Of(document, rest) => Decision::EndEach(rest.failing(document)).into(),
        };
    }

    /// The owner's code raised an error, and nothing has changed. `patience`: how long documents may be tried one by
    /// one.
    pub fn failed(self, failure: Failure, patience: Duration) {
        let rest = match self.jobs {
            Jobs::All(documents) => OneByOne::new(documents, failure, patience),
            Jobs::Of(document, rest) => rest.failing_with(document, failure),
        };
        self.policy.step = Decision::EndEach(rest).into();
    }
}

impl<I> Ending<I> {
    pub(super) fn new(document: I, outcome: Outcome) -> Ending<I> {
        Ending { document, outcome, forgets_failures: false, unusable: None }
    }
}
