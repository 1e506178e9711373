//! What becomes of a job.

use core::time::Duration;

use super::LOCKED_AGAIN;
use crate::provider::retry;

/// The outcome of the jobs of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The document does not exist any more. The jobs are done.
    Gone,
    /// The document has all its vectors. The jobs are done.
    Complete,
    /// The document has failed, for this reason, until it is changed or retried.
    Failed(String),
    /// The jobs are retried.
    Postponed {
        /// The delay.
        after: Wait,
        /// Whether this attempt counts.
        charged: bool,
        /// Why; None if nothing is wrong with the document.
        error: Option<String>,
    },
}

impl Outcome {
    /// The jobs of a document that another session holds up.
    pub(super) fn locked(charged: bool) -> Outcome {
        Outcome::Postponed { after: Wait::Exactly(LOCKED_AGAIN), charged, error: None }
    }
}

/// A delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// This long.
    Exactly(Duration),
    /// The backoff after this many failures.
    Backoff(u32),
}

impl Wait {
    /// How long it is. `jitter` as for [`retry::backoff`].
    pub fn time(self, jitter: f64) -> Duration {
        match self {
            Wait::Exactly(time) => time,
            Wait::Backoff(failures) => retry::backoff(failures, jitter),
        }
    }
}
