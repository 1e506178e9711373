//! What follows from a failed call.

use std::time::Duration;

use kb_rag_core::provider::{Reason, Refusal, retry};

/// A chunk fails permanently after this many attempts by itself, even if the provider does not report it as the cause.
pub const MOST_ATTEMPTS: i32 = 8;
/// From this attempt on a batch is split, to find out whether one of its chunks is the cause.
pub const ATTEMPTS_BEFORE_SPLIT: i32 = 3;
/// The longest pause; a provider that asks for a longer one is called again after this.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// The pause of a provider whose settings have to be fixed.
pub const PAUSE_FOR_PEOPLE: Duration = Duration::from_secs(900);

/// The next action.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// Pause the provider, or only the model: for a given time, or with exponential backoff. No attempt counts.
    Pause { whole_provider: bool, after: Option<Duration> },
    /// Try the halves of the batch.
    Split,
    /// Mark the chunk as failed.
    GiveUp,
    /// Retry after a delay.
    Later(Duration),
}

/// `alone` for a batch of one chunk; `attempts` includes the failed call; `jitter` is from 0 to 1.
pub fn verdict(refusal: &Refusal, alone: bool, attempts: i32, jitter: f64) -> Verdict {
    let pause = |whole_provider, after: Option<Duration>| Verdict::Pause {
        whole_provider,
        after: after.map(|after| after.min(LONGEST_PAUSE)),
    };
    match refusal.reason {
        Reason::Overloaded => pause(true, refusal.retry_after),
        Reason::Unreachable => pause(true, None),
        Reason::QuotaExhausted | Reason::Unauthorized => pause(true, Some(PAUSE_FOR_PEOPLE)),
        Reason::NotFound => pause(false, Some(PAUSE_FOR_PEOPLE)),
        Reason::BadItem if alone => Verdict::GiveUp,
        Reason::BadItem => Verdict::Split,
        Reason::Transient | Reason::TimedOut | Reason::Nonsense | Reason::BadVector => {
            if alone && attempts >= MOST_ATTEMPTS {
                Verdict::GiveUp
            } else if !alone && attempts >= ATTEMPTS_BEFORE_SPLIT {
                Verdict::Split
            } else {
                let backoff = retry::backoff(attempts.unsigned_abs(), jitter);
                Verdict::Later(
                    refusal.retry_after.map_or(backoff, |after| after.max(backoff)).min(LONGEST_PAUSE),
                )
            }
        }
    }
}
