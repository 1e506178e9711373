//! The steps of the state machine.

use core::time::Duration;

use super::end::Jobs;
use super::one_by_one::{OneByOne, Turn};
use super::write::{DOCUMENT_PATIENCE, Part, TABLE_PATIENCE};
use super::{Chunk, Ending, Id, Pause, Policy, Vectors};
use crate::provider::Refusal;

/// The next step.
pub(super) enum Step<I> {
    /// Call the model for the next batch, if there is one.
    Call,
    CheckProvider {
        batch: Vec<Chunk<I>>,
        refusal: Refusal,
        attempts: i32,
    },
    RecordFailure(Option<Pause>),
    Write {
        vectors: Vectors<I>,
        part: Part<I>,
    },
    Read,
    Reopen,
    End(Jobs<I>),
    /// End the jobs of a document for which nothing could be written; with those that remain.
    EndUnwritable(Ending<I>, OneByOne<I>),
    /// Wait for another session, then take this step.
    Wait(Box<Step<I>>),
    /// Report the last error of the owner's code, then take this step.
    Report(Box<Step<I>>),
    Abort,
    Abandon,
    Done,
    Decide(Decision<I>),
}

/// What the next step depends on.
pub(super) enum Decision<I> {
    /// The call returned vectors.
    Answered(Vectors<I>),
    /// A table was locked when vectors were to be written, which began at this time.
    Locked(Vectors<I>, Duration),
    /// The vectors of each document are written by themselves; with when writing held vectors began.
    WriteEach(OneByOne<Vectors<I>>, Option<Duration>),
    /// Vectors were written, or no batch is left.
    Proceed,
    /// Nothing is called any more, and held vectors are written; with when that began.
    Hold(Option<Duration>),
    /// The jobs of each document are ended by themselves.
    EndEach(OneByOne<I>),
}

impl<I> From<Decision<I>> for Step<I> {
    fn from(decision: Decision<I>) -> Step<I> {
        Step::Decide(decision)
    }
}

impl<I: Id> Policy<I> {
    pub(super) fn decide(&mut self, decision: Decision<I>, now: Duration) -> Step<I> {
        match decision {
            Decision::Answered(vectors) => Step::Write { vectors, part: Part::Batch(now) },
            Decision::Locked(vectors, began) => self.after_lock(vectors, began, now),
            Decision::WriteEach(rest, held_since) => self.write_each(rest, held_since, now),
            Decision::Proceed => self.proceed(),
            Decision::Hold(began) => self.write_held(began, now),
            Decision::EndEach(rest) => self.end_each(rest, now),
        }
    }

    fn after_lock(&mut self, vectors: Vectors<I>, began: Duration, now: Duration) -> Step<I> {
        if now.saturating_sub(began) > TABLE_PATIENCE {
            self.lose(&vectors, "a table of the knowledge base was locked by another session");
            return Decision::Proceed.into();
        }
        Step::Wait(Box::new(Step::Write { vectors, part: Part::Batch(began) }))
    }

    fn write_each(
        &mut self,
        mut rest: OneByOne<Vectors<I>>,
        held_since: Option<Duration>,
        now: Duration,
    ) -> Step<I> {
        match rest.next(now) {
            Turn::Try(vectors) => Step::Write { vectors, part: Part::Document(rest, held_since) },
            Turn::Fail(_) if rest.failure.is_over_limit => Step::Abort,
            Turn::Fail(vectors) => {
                self.lose(&vectors, &rest.failure.message);
                Decision::WriteEach(rest, held_since).into()
            }
            Turn::Over => {
                let next = held_since.map_or(Decision::Proceed, |began| Decision::Hold(Some(began)));
                Step::Report(Box::new(next.into()))
            }
        }
    }

    fn proceed(&mut self) -> Step<I> {
        if self.is_time_used_up || self.progress.is_stopped() {
            self.leave_rest();
            Decision::Hold(None).into()
        } else if self.batches.is_empty() {
            Step::Read
        } else {
            Step::Reopen
        }
    }

    fn write_held(&mut self, began: Option<Duration>, now: Duration) -> Step<I> {
        let began = began.unwrap_or(now);
        if !self.progress.holds_any() {
            return self.end();
        }
        let vectors = self.progress.take_held();
        if now.saturating_sub(began) >= DOCUMENT_PATIENCE {
            self.lose(&vectors, "another session kept the document locked for too long");
            return self.end();
        }
        Step::Wait(Box::new(Step::Write { vectors, part: Part::Held(began) }))
    }

    fn end(&self) -> Step<I> {
        Step::End(Jobs::All(self.documents.clone()))
    }

    fn end_each(&mut self, mut rest: OneByOne<I>, now: Duration) -> Step<I> {
        match rest.next(now) {
            Turn::Try(document) => Step::End(Jobs::Of(document, rest)),
            Turn::Fail(_) if rest.failure.is_over_limit => Step::Abort,
            Turn::Fail(document) => {
                let outcome = self.progress.unwritable(document, &rest.failure.message);
                let unusable = self.progress.unusable(document);
                Step::EndUnwritable(Ending { unusable, ..Ending::new(document, outcome) }, rest)
            }
            Turn::Over => Step::Report(Box::new(Step::Done)),
        }
    }

    /// Records vectors that could not be written.
    fn lose(&mut self, vectors: &Vectors<I>, reason: &str) {
        vectors.iter().for_each(|(chunk, _)| self.progress.lose(chunk, reason));
    }
}
