//! Calls of the model, and what follows from their results.

use core::mem;
use core::slice;
use core::time::Duration;

use super::step::{Decision, Step};
use super::verdict::{ATTEMPTS_BEFORE_SPLIT, Pause, Scope, Verdict, verdict};
use super::{Chunk, Id, Policy, Wait};
use crate::provider::{Reason, Refusal, retry};

/// After this many chunks that fail in a row, each by itself, the chunks are not the cause.
const MOST_ALONE_IN_A_ROW: usize = 3;

/// Failed calls that tell whether the chunks are the cause, or the provider.
pub(super) struct Suspicion<I> {
    /// How many chunks failed in a row, each by itself.
    alone_in_a_row: usize,
    /// Those of them that were marked as failed.
    failed_in_a_row: Vec<Chunk<I>>,
    /// Whether some batches are parts of one that failed.
    was_split: bool,
}

impl<I> Default for Suspicion<I> {
    fn default() -> Suspicion<I> {
        Suspicion { alone_in_a_row: 0, failed_in_a_row: Vec::new(), was_split: false }
    }
}

impl<I> Suspicion<I> {
    /// A chunk has failed by itself.
    fn note_lone_failure(&mut self) {
        self.alone_in_a_row += 1;
    }

    /// The provider has answered.
    fn note_answer(&mut self) {
        self.alone_in_a_row = 0;
        self.failed_in_a_row.clear();
    }

    /// Whether so many chunks failed in a row that they are not the cause.
    fn is_of_provider(&self) -> bool {
        self.alone_in_a_row >= MOST_ALONE_IN_A_ROW
    }
}

/// To call the model for some chunks: [`Action::Call`](super::Action::Call).
#[must_use]
pub struct Call<'a, I> {
    pub(super) policy: &'a mut Policy<I>,
    pub(super) batch: Vec<Chunk<I>>,
}

impl<I: Id> Call<'_, I> {
    /// The chunks to embed.
    pub fn chunks(&self) -> &[Chunk<I>] {
        &self.batch
    }

    /// The vectors of the chunks, in their order.
    pub fn answered(self, vectors: Vec<Vec<f32>>) {
        self.policy.suspicion.note_answer();
        // Vectors that are paid for are written before the next call.
        let vectors = self.batch.into_iter().zip(vectors).collect();
        self.policy.step = Decision::Answered(vectors).into();
    }

    /// The call failed. `jitter` as for [`retry::backoff`].
    pub fn refused(self, refusal: Refusal, jitter: f64) {
        let Call { policy, batch } = self;
        let attempts = policy.progress.most_attempts(&batch);
        match verdict(&refusal, batch.len() == 1, attempts, jitter) {
            Verdict::Pause(scope, after) => policy.pause(scope, after, refusal),
            Verdict::Split => policy.split(batch),
            Verdict::Fail => policy.fail(&batch, &refusal),
            Verdict::FailIfOthersAreServed => policy.step = Step::CheckProvider { batch, refusal },
            Verdict::Later(after) => {
                if batch.len() == 1 {
                    policy.suspicion.note_lone_failure();
                }
                policy.postpone(&batch, refusal, after);
            }
        }
    }
}

/// To find out whether the model serves others: [`Action::CheckProvider`](super::Action::CheckProvider).
#[must_use]
pub struct CheckProvider<'a, I> {
    pub(super) policy: &'a mut Policy<I>,
    pub(super) batch: Vec<Chunk<I>>,
    pub(super) refusal: Refusal,
}

impl<I: Id> CheckProvider<'_, I> {
    /// Whether the model has embedded anything lately. `jitter` as for [`retry::backoff`].
    pub fn serves_others(self, serves: bool, jitter: f64) {
        let CheckProvider { policy, batch, refusal } = self;
        policy.suspicion.note_lone_failure();
        if serves && !policy.suspicion.is_of_provider() {
            policy.fail(&batch, &refusal);
            policy.suspicion.failed_in_a_row.extend(batch);
        } else {
            let attempts = policy.progress.most_attempts(&batch);
            policy.postpone(&batch, refusal, retry::backoff(attempts.unsigned_abs(), jitter));
        }
    }
}

impl<I: Id> Policy<I> {
    fn pause(&mut self, scope: Scope, after: Option<Duration>, refusal: Refusal) {
        self.stop(refusal.message.clone(), Duration::ZERO);
        self.record(Some(Pause { scope, reason: refusal.message, after, unless_changed: true }));
    }

    fn split(&mut self, mut batch: Vec<Chunk<I>>) {
        self.suspicion.was_split = true;
        let half = batch.split_off(batch.len() / 2);
        self.batches.push(half);
        self.batches.push(batch);
        self.record(None);
    }

    fn fail(&mut self, batch: &[Chunk<I>], refusal: &Refusal) {
        batch.iter().for_each(|chunk| self.progress.fail(chunk, &refusal.message));
        self.record(None);
    }

    fn postpone(&mut self, batch: &[Chunk<I>], refusal: Refusal, after: Duration) {
        let pause = self.pause_for(batch, &refusal);
        let later = Wait::Exactly(after);
        batch.iter().for_each(|chunk| self.progress.postpone(chunk, &refusal.message, later));
        if batch.len() > 1 || refusal.reason == Reason::TimedOut || self.suspicion.is_of_provider() {
            self.stop(refusal.message, after);
        }
        self.record(pause);
    }

    /// A provider that does not respond must not delay other bases, and one that fails must not be called for the whole
    /// queue at once. An invalid response may concern only this base. No pause if the chunk may be the cause.
    fn pause_for(&self, batch: &[Chunk<I>], refusal: &Refusal) -> Option<Pause> {
        let is_suspect = batch.len() == 1 && self.progress.most_attempts(batch) >= ATTEMPTS_BEFORE_SPLIT;
        let scope = match refusal.reason {
            Reason::TimedOut => Scope::Provider,
            _ if is_suspect || self.suspicion.was_split => return None,
            Reason::Nonsense | Reason::BadVector => Scope::Base,
            _ => Scope::Model,
        };
        Some(Pause { scope, reason: refusal.message.clone(), after: None, unless_changed: false })
    }

    /// Stops the work. Chunks of the current row that were marked as failed are likely not the cause: they are retried,
    /// each after a time of its own. If they are the cause after all, they do not delay the others forever.
    fn stop(&mut self, reason: String, after: Duration) {
        for chunk in mem::take(&mut self.suspicion.failed_in_a_row) {
            let attempts = self.progress.most_attempts(slice::from_ref(&chunk));
            self.progress.postpone(&chunk, &reason, Wait::Backoff(attempts.unsigned_abs()));
        }
        self.progress.stop(reason, after);
        self.leave_rest();
    }

    fn record(&mut self, pause: Option<Pause>) {
        self.step = Step::RecordFailure(pause);
    }
}
