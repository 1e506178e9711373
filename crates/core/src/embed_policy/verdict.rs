//! What follows from a failed call.

use core::time::Duration;

use crate::provider::{Reason, Refusal, retry};

/// A chunk fails permanently after this many attempts by itself, even if the provider does not report it as the cause.
/// A document fails after this many attempts whose vectors were not kept, and after this many generations of jobs.
pub const MAX_ATTEMPTS: i32 = 8;
/// From this attempt on batches are smaller, to find out whether a chunk is the cause: one that is alone is suspected.
pub(super) const ATTEMPTS_BEFORE_SUSPICION: i32 = 3;
/// The longest pause; a provider that asks for a longer one is called again after this.
const MAX_PAUSE: Duration = Duration::from_secs(3600);
/// The pause of a provider whose settings have to be fixed.
const PAUSE_FOR_PEOPLE: Duration = Duration::from_secs(900);

/// What is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All models of the provider, for all knowledge bases.
    Provider,
    /// The model, for all knowledge bases.
    Model,
    /// This kind of work of this knowledge base.
    Base,
}

/// A pause that follows from a failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// What is paused.
    pub scope: Scope,
    /// What the provider said.
    pub reason: String,
    /// How long. None for exponential backoff.
    pub after: Option<Duration>,
    /// Whether a change of the provider's key or URL since the call makes the pause unnecessary: the response is
    /// outdated then.
    pub unless_changed: bool,
    /// Whether one job is claimed and one chunk of it sent first when it ends, because calls that fail may be paid for.
    pub tries_one_chunk: bool,
}

impl Pause {
    /// How long to pause after this many failures in a row. `jitter` as for [`retry::backoff`].
    pub fn time(&self, failures: u32, jitter: f64) -> Duration {
        self.after.unwrap_or_else(|| match self.tries_one_chunk {
            true => retry::backoff_after_answers(failures, jitter),
            false => retry::backoff(failures, jitter),
        })
    }
}

/// What happens to the batch of a failed call.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Pause, and stop. No attempt counts.
    Pause(Scope, Option<Duration>),
    /// Try the halves of the batch.
    Split,
    /// Mark the chunk as failed.
    Fail,
    /// Find out whether the model serves others: then the chunk is the cause.
    CheckProvider,
    /// Retry after a delay.
    Later(Duration),
}

/// `alone` for a batch of one chunk; `attempts` includes the failed call; `jitter` is from 0 to 1.
pub(super) fn verdict(refusal: &Refusal, alone: bool, attempts: i32, jitter: f64) -> Verdict {
    match refusal.reason {
        Reason::Overloaded => {
            Verdict::Pause(Scope::Provider, refusal.retry_after.map(|after| after.min(MAX_PAUSE)))
        }
        Reason::Unreachable => Verdict::Pause(Scope::Provider, None),
        Reason::QuotaExhausted | Reason::Unauthorized => {
            Verdict::Pause(Scope::Provider, Some(PAUSE_FOR_PEOPLE))
        }
        Reason::NotFound => Verdict::Pause(Scope::Model, Some(PAUSE_FOR_PEOPLE)),
        Reason::BadItem if alone => Verdict::Fail,
        Reason::BadItem => Verdict::Split,
        Reason::Transient | Reason::TimedOut if alone && attempts >= MAX_ATTEMPTS => Verdict::CheckProvider,
        Reason::Transient | Reason::TimedOut if !alone && attempts >= ATTEMPTS_BEFORE_SUSPICION => {
            Verdict::Split
        }
        reason if reason.may_be_paid() && alone && attempts >= ATTEMPTS_BEFORE_SUSPICION => {
            Verdict::CheckProvider
        }
        Reason::Transient | Reason::TimedOut | Reason::Broken | Reason::Nonsense | Reason::BadVector => {
            Verdict::Later(wait(refusal, attempts, jitter))
        }
    }
}

/// The consequence of a failed call for one text. Other work of the provider goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lone {
    /// Pause the model, for this time or exponentially longer. No attempt counts.
    Pause(Option<Duration>),
    /// The text has failed.
    Fail,
    /// Fail if the model serves others, or at once after [`MAX_ATTEMPTS`] calls that may have been paid for; otherwise pause the work
    /// and retry after this time.
    CheckModel(Duration),
    /// Retry after a delay.
    Later(Duration),
}

/// `attempts` includes the failed call; `jitter` is from 0 to 1.
pub fn after_lone(refusal: &Refusal, attempts: i32, jitter: f64) -> Lone {
    match verdict(refusal, true, attempts, jitter) {
        Verdict::Pause(_, after) => Lone::Pause(after),
        Verdict::Split | Verdict::Fail => Lone::Fail,
        Verdict::CheckProvider => Lone::CheckModel(wait(refusal, attempts, jitter)),
        Verdict::Later(after) => Lone::Later(after),
    }
}

/// The delay before a chunk is tried again after this many attempts.
pub(super) fn wait(refusal: &Refusal, attempts: i32, jitter: f64) -> Duration {
    let backoff = retry::backoff(attempts.unsigned_abs(), jitter);
    refusal.retry_after.map_or(backoff, |after| after.max(backoff)).min(MAX_PAUSE)
}

/// The most chunks of a call, of the `items` that one takes, for chunks with this many answers that could not be used: all
/// after the first, then a quarter each time, and one after the fifth. So the cause is found although no chunk is sent twice
/// in a turn.
pub(super) fn max_items(items: usize, unusable: i32) -> usize {
    match unusable {
        ..2 => items,
        2..5 => items >> (2 * (unusable - 1)),
        _ => 1,
    }
    .max(1)
}
