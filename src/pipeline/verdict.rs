//! What follows from a refusal.

use std::time::Duration;

use kb_rag_core::provider::{Reason, Refusal, retry};

/// A passage that a provider fails on by itself, without saying that it is to blame, is given up after so many attempts.
pub const MOST_ATTEMPTS: i32 = 8;
/// From this attempt on a batch is taken apart, to find out whether one of its passages is to blame.
pub const ATTEMPTS_BEFORE_SPLIT: i32 = 3;
/// A provider that wants to be left alone for longer is asked again after this.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// How long a provider rests that needs somebody to mend its settings.
pub const PAUSE_FOR_PEOPLE: Duration = Duration::from_secs(900);

/// What is to be done.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The provider, or only the model, is left alone: for a given time, or longer each time in a row. No attempt counts.
    Pause { whole_provider: bool, after: Option<Duration> },
    /// Try the halves of the batch.
    Split,
    /// The passage can not be embedded.
    GiveUp,
    /// Try again after a while.
    Later(Duration),
}

/// `alone` for a batch of one passage; `attempts` counts the one that was refused; `jitter` is from 0 to 1.
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
