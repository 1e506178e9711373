//! Work that failed together is tried one document after the other.

use core::time::Duration;

/// An error of the owner's code: a trigger, a constraint, a policy or an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message.
    pub message: String,
    /// Whether the code exceeded its time. Then the work ends, unless the documents that remain can still be tried.
    pub is_over_limit: bool,
}

/// The parts that remain, each of one document, and the last error.
pub(super) struct OneByOne<T> {
    /// The next part is the last element.
    rest: Vec<T>,
    /// A part that could not be tried, or failed.
    failed: Option<T>,
    /// Whether there was more than one part: a single one has been tried.
    is_many: bool,
    /// When the first part was tried.
    began: Option<Duration>,
    /// How long parts are tried.
    patience: Duration,
    /// The last error.
    pub failure: Failure,
}

/// What to do with a part.
pub(super) enum Turn<T> {
    Try(T),
    Fail(T),
    Over,
}

impl<T> OneByOne<T> {
    pub fn new(mut parts: Vec<T>, failure: Failure, patience: Duration) -> OneByOne<T> {
        let is_many = parts.len() > 1;
        parts.reverse();
        OneByOne { rest: parts, failed: None, is_many, began: None, patience, failure }
    }

    pub fn next(&mut self, now: Duration) -> Turn<T> {
        if let Some(part) = self.failed.take() {
            return Turn::Fail(part);
        }
        let began = *self.began.get_or_insert(now);
        let may_try = self.is_many && now.saturating_sub(began) < self.patience;
        match self.rest.pop() {
            Some(part) if may_try => Turn::Try(part),
            Some(part) => Turn::Fail(part),
            None => Turn::Over,
        }
    }

    /// Records that a part could not be tried, or failed for the same reason as before.
    pub fn failing(mut self, part: T) -> OneByOne<T> {
        self.failed = Some(part);
        self
    }

    /// Records that a part failed.
    pub fn failing_with(mut self, part: T, failure: Failure) -> OneByOne<T> {
        self.failure = failure;
        self.failing(part)
    }
}
