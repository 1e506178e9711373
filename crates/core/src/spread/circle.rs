//! Which bases a server has for a call that names none.

use serde::{Deserialize, Serialize};

/// Tells about the bases of a server that are not in its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circle {
    /// Whether there is a base that the caller may read, or one that is attached to the agent.
    pub has_bases: bool,
    /// The names of those that the caller may read by name alone.
    pub outside: Vec<String>,
    /// Whether the agent does not use its bases.
    pub is_idle: bool,
}

impl Circle {
    /// Adds that of another server.
    pub fn add(&mut self, other: Circle) {
        self.has_bases |= other.has_bases;
        self.is_idle |= other.is_idle;
        self.outside.extend(other.outside);
    }
}
