//! Calls of the model, and what follows from their results.

use core::mem;
use core::slice;
use core::time::Duration;

use super::step::{Decision, Step};
use super::verdict::{ATTEMPTS_BEFORE_SUSPICION, MAX_ATTEMPTS, Pause, Scope, Verdict, verdict, wait};
use super::{Chunk, Id, Policy, Wait};
use crate::provider::{Reason, Refusal};

/// After this many chunks that fail in a row, each by itself, the chunks are not the cause.
const MAX_ALONE_IN_A_ROW: usize = 3;

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
        self.alone_in_a_row >= MAX_ALONE_IN_A_ROW
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

    /// The vectors of the chunks, in their order, or why that of a chunk cannot be used.
    pub fn answered(self, vectors: Vec<Result<Vec<f32>, String>>) {
        let Call { policy, batch } = self;
        policy.suspicion.note_answer();
        let mut usable = Vec::with_capacity(batch.len());
        for (chunk, vector) in batch.into_iter().zip(vectors) {
            match vector {
                Ok(vector) => usable.push((chunk, vector)),
                Err(reason) => policy.vector_is_unusable(&chunk, &reason),
            }
        }
        // Vectors that are paid for are written before the next call.
        policy.step = Decision::Answered(usable).into();
    }

    /// The call failed. `jitter` as for [`retry::backoff`](crate::provider::retry::backoff).
    pub fn refused(self, refusal: Refusal, jitter: f64) {
        let Call { policy, batch } = self;
        let attempts = policy.progress.max_attempts(&batch);
        let verdict = verdict(&refusal, batch.len() == 1, attempts, jitter);
        if refusal.reason.may_be_paid() {
            batch.iter().for_each(|chunk| policy.progress.note_unusable(chunk));
        }
        match verdict {
            Verdict::Pause(scope, after) => policy.pause(scope, after, refusal),
            Verdict::Split => policy.split(batch),
            Verdict::Fail => policy.fail(&batch, &refusal),
            Verdict::CheckProvider => policy.step = Step::CheckProvider { batch, refusal, attempts },
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
    pub(super) attempts: i32,
}

impl<I: Id> CheckProvider<'_, I> {
    /// Whether only the knowledge base of the chunks counts: an answer that cannot be used may concern it alone.
    pub fn is_of_base(&self) -> bool {
        self.refusal.reason.may_be_paid()
    }

    /// Whether the model has embedded anything lately. `jitter` as for [`retry::backoff`](crate::provider::retry::backoff).
    pub fn serves_others(self, serves: bool, jitter: f64) {
        let CheckProvider { policy, batch, refusal, attempts } = self;
        policy.suspicion.note_lone_failure();
        let is_of_chunk = serves && !policy.suspicion.is_of_provider();
        let is_paid = refusal.reason.may_be_paid();
        let after = wait(&refusal, attempts, jitter);
        match attempts >= MAX_ATTEMPTS && (is_paid || is_of_chunk) {
            // A chunk that was paid for so often is not sent again, whoever is the cause.
            true => batch.iter().for_each(|chunk| policy.progress.fail(chunk, &refusal.message)),
            false => {
                let later = Wait::Exactly(after);
                batch.iter().for_each(|chunk| policy.progress.postpone(chunk, &refusal.message, later));
            }
        }
        if is_of_chunk {
            // Those are retried if the provider turns out to be the cause, unless they may have been paid for.
            policy.suspicion.failed_in_a_row.extend(batch.into_iter().filter(|_| !is_paid));
            return policy.record(None);
        }
        let pause = policy.pause_for(&refusal, false);
        policy.stop(refusal.message, after);
        policy.record(pause);
    }
}

impl<I: Id> Policy<I> {
    fn pause(&mut self, scope: Scope, after: Option<Duration>, refusal: Refusal) {
        self.stop(refusal.message.clone(), Duration::ZERO);
        let reason = refusal.message;
        self.record(Some(Pause { scope, reason, after, unless_changed: true, tries_one_chunk: false }));
    }

    /// A chunk got no usable vector while others of its batch did. It was paid for, so the attempt counts.
    fn vector_is_unusable(&mut self, chunk: &Chunk<I>, reason: &str) {
        let attempts = self.progress.attempts(chunk);
        self.progress.note_unusable(chunk);
        match attempts >= MAX_ATTEMPTS {
            true => self.progress.fail(chunk, reason),
            false => self.progress.postpone(chunk, reason, Wait::Backoff(attempts.unsigned_abs())),
        }
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
        let is_suspect = batch.len() == 1 && self.progress.max_attempts(batch) >= ATTEMPTS_BEFORE_SUSPICION;
        let pause = self.pause_for(&refusal, is_suspect || self.suspicion.was_split);
        let later = Wait::Exactly(after);
        batch.iter().for_each(|chunk| self.progress.postpone(chunk, &refusal.message, later));
        let is_of_provider = refusal.reason == Reason::TimedOut || refusal.reason.may_be_paid();
        if batch.len() > 1 || is_of_provider || self.suspicion.is_of_provider() {
            self.stop(refusal.message, after);
        }
        self.record(pause);
    }

    /// A provider that does not respond must not delay other bases, and one that fails must not be called for the whole
    /// queue at once. No pause if the chunk is suspected to be the cause.
    fn pause_for(&self, refusal: &Refusal, is_suspect: bool) -> Option<Pause> {
        let scope = match refusal.reason {
            reason if reason.may_be_paid() => return Some(Pause::of_answer(refusal)),
            Reason::TimedOut => Scope::Provider,
            _ if is_suspect => return None,
            _ => Scope::Model,
        };
        let reason = refusal.message.clone();
        Some(Pause { scope, reason, after: None, unless_changed: false, tries_one_chunk: false })
    }

    /// Stops the work. Chunks of the current row that were marked as failed are likely not the cause: they are retried,
    /// each after a time of its own. If they are the cause after all, they do not delay the others forever.
    fn stop(&mut self, reason: String, after: Duration) {
        for chunk in mem::take(&mut self.suspicion.failed_in_a_row) {
            let attempts = self.progress.max_attempts(slice::from_ref(&chunk));
            self.progress.postpone(&chunk, &reason, Wait::Backoff(attempts.unsigned_abs()));
        }
        self.progress.stop(reason, after);
        self.leave_rest();
    }

    fn record(&mut self, pause: Option<Pause>) {
        self.step = Step::RecordFailure(pause);
    }
}

impl Pause {
    /// After an answer that cannot be used: it may concern only this base, whose dimensions may be wrong.
    fn of_answer(refusal: &Refusal) -> Pause {
        let reason = refusal.message.clone();
        Pause { scope: Scope::Base, reason, after: None, unless_changed: true, tries_one_chunk: true }
    }
}
