//! What goes wrong in the simulated [`World`](crate::world::World).

use core::time::Duration;
use std::collections::BTreeSet;

use kb_rag_core::embed_policy::{Chunk, Failure};
use kb_rag_core::provider::{Reason, Refusal};

/// What happens to the vector of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Kept,
    /// The table does not have it.
    Lost,
    /// The table has it, but not for long.
    RemovedLater,
    /// The chunk has another identifier now, and no vector.
    Replaced,
    /// The chunk does not exist any more.
    Deleted,
}

/// What happens to an attempt to use the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    Free,
    /// Another session has a table locked.
    Locked,
    /// The vectors are no longer needed.
    Unwanted,
    /// The owner's code raises an error.
    Error(Failure),
}

/// What goes wrong. Everything goes well by default.
#[allow(unused_variables)]
pub trait Faults {
    fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
        None
    }
    /// Whether the vector of a chunk can be used, if the call is answered.
    fn is_usable(&mut self, chunk: u32) -> bool {
        true
    }
    fn serves_others(&mut self) -> bool {
        true
    }
    fn write(&mut self, documents: &BTreeSet<u32>, now: Duration) -> Access {
        Access::Free
    }
    fn fate(&mut self, chunk: u32) -> Fate {
        Fate::Kept
    }
    fn is_busy(&mut self, document: u32, now: Duration) -> bool {
        false
    }
    fn read(&mut self) -> Access {
        Access::Free
    }
    fn reopen(&mut self) -> Option<String> {
        None
    }
    fn end(&mut self, documents: &[u32]) -> Access {
        Access::Free
    }
    /// How long a statement of the owner's code takes.
    fn takes(&self) -> Duration {
        Duration::ZERO
    }
    fn keeps_share(&mut self) -> bool {
        true
    }
    fn is_time_used_up(&mut self) -> bool {
        false
    }
    /// Whether others need the process, after a call.
    fn must_leave(&mut self) -> bool {
        false
    }
    /// From 0 to 1.
    fn jitter(&mut self) -> f64 {
        1.0
    }
}

/// Nothing goes wrong.
pub struct Fine;

impl Faults for Fine {}

/// A refusal that says its reason.
pub fn refusal(reason: Reason) -> Refusal {
    Refusal { reason, message: format!("{reason:?}"), retry_after: None }
}

pub fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}
