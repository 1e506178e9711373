//! Reading chunks, and looking up the provider again.

use core::time::Duration;
use std::collections::HashSet;

use super::step::{Decision, Step};
use super::{Chunk, Ending, Id, Policy};
use crate::provider::Limits;

/// The delay before a model that could not be opened is tried again.
pub const MODEL_AGAIN: Duration = Duration::from_secs(30);

/// To read chunks without a vector: [`Action::Read`](super::Action::Read).
#[must_use]
pub struct Read<'a, I> {
    pub(super) policy: &'a mut Policy<I>,
    /// Whether the provider was looked up in the same transaction.
    pub(super) is_first: bool,
}

impl<I: Id> Read<'_, I> {
    /// The claimed documents.
    pub fn documents(&self) -> &[I] {
        &self.policy.documents
    }

    /// Chunks that are not to be read.
    pub fn skip(&self) -> &HashSet<I> {
        self.policy.progress.skip()
    }

    /// Chunks of the claimed documents without a vector, and not in [`Read::skip`]. None of them if there are no more.
    /// Returns whether to read again: there were chunks, but none that may be sent.
    #[must_use]
    pub fn found(&mut self, mut chunks: Vec<Chunk<I>>) -> bool {
        let policy = &mut *self.policy;
        let is_over = chunks.is_empty();
        chunks.retain(|chunk| policy.progress.admit(chunk));
        let again = chunks.is_empty() && !is_over;
        policy.step = match self.is_first {
            true => Step::Call,
            false if is_over => Decision::Hold(None).into(),
            false if again => Step::Read,
            false => Step::Reopen,
        };
        policy.unbatched = chunks;
        again
    }

    /// The vectors are no longer needed.
    pub fn unwanted(self) {
        self.policy.step = Step::Abandon;
    }

    /// Another session has a table locked: the jobs end so. They can be claimed again.
    pub fn locked(self) -> Vec<Ending<I>> {
        self.policy.step = Step::Done;
        let Policy { documents, progress, .. } = &*self.policy;
        let ending = |&document: &I| Ending {
            unusable: progress.unusable(document),
            ..Ending::new(document, progress.locked(document))
        };
        documents.iter().map(ending).collect()
    }
}

/// To look up the provider again: [`Action::Reopen`](super::Action::Reopen).
#[must_use]
pub struct Reopen<'a, I> {
    pub(super) policy: &'a mut Policy<I>,
}

impl<I: Id> Reopen<'_, I> {
    /// The model can be called, within these limits.
    pub fn reopened(self, limits: Limits) {
        self.policy.limits = limits;
        self.policy.step = Step::Call;
    }

    /// A key, a file or a privilege is missing, and a user has to provide it.
    pub fn failed(self, error: String) {
        self.policy.progress.stop(error, MODEL_AGAIN);
        self.policy.leave_rest();
        self.policy.step = Decision::Hold(None).into();
    }
}
