//! What follows from a failed call.

use core::time::Duration;

use crate::provider::{Reason, Refusal, retry};

/// A chunk fails permanently after this many attempts by itself, even if the provider does not report it as the cause.
/// A document fails after this many attempts whose vectors were not kept, and after this many generations of jobs.
pub const MOST_ATTEMPTS: i32 = 8;
/// From this attempt on a batch is split, to find out whether one of its chunks is the cause.
pub(super) const ATTEMPTS_BEFORE_SPLIT: i32 = 3;
/// The longest pause; a provider that asks for a longer one is called again after this.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
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
}

impl Pause {
    /// How long to pause after this many failures in a row. `jitter` as for [`retry::backoff`].
    pub fn time(&self, failures: u32, jitter: f64) -> Duration {
        self.after.unwrap_or_else(|| retry::backoff(failures, jitter))
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
    /// Mark the chunk as failed if the model serves others; otherwise it is retried.
    FailIfOthersAreServed,
    /// Retry after a delay.
    Later(Duration),
}

/// `alone` for a batch of one chunk; `attempts` includes the failed call; `jitter` is from 0 to 1.
pub(super) fn verdict(refusal: &Refusal, alone: bool, attempts: i32, jitter: f64) -> Verdict {
    match refusal.reason {
        Reason::Overloaded => {
            Verdict::Pause(Scope::Provider, refusal.retry_after.map(|after| after.min(LONGEST_PAUSE)))
        }
        Reason::Unreachable => Verdict::Pause(Scope::Provider, None),
        Reason::QuotaExhausted | Reason::Unauthorized => {
            Verdict::Pause(Scope::Provider, Some(PAUSE_FOR_PEOPLE))
        }
        Reason::NotFound => Verdict::Pause(Scope::Model, Some(PAUSE_FOR_PEOPLE)),
        Reason::BadItem if alone => Verdict::Fail,
        Reason::BadItem => Verdict::Split,
        Reason::Transient | Reason::TimedOut | Reason::Nonsense | Reason::BadVector => {
            if alone && attempts >= MOST_ATTEMPTS {
                Verdict::FailIfOthersAreServed
            } else if !alone && attempts >= ATTEMPTS_BEFORE_SPLIT {
                Verdict::Split
            } else {
                let backoff = retry::backoff(attempts.unsigned_abs(), jitter);
                let after = refusal.retry_after.map_or(backoff, |after| after.max(backoff));
                Verdict::Later(after.min(LONGEST_PAUSE))
            }
        }
    }
}
