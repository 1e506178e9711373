//! Requests about a search that found nothing on several servers, for notices that say why, and their answers.

use serde::{Deserialize, Serialize};

use crate::filter::remark::{Held, Wanted};

/// The common part of a request about a search without results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hints<I> {
    /// The agent, whose filters apply.
    pub agent: Option<I>,
    /// Whether the caller names the bases, and so takes the policies of their owners.
    pub is_named: bool,
    /// The questions.
    pub hints: Vec<Hint>,
}

/// A question about the bases of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// Which source types documents have, if none has this one.
    SourceTypes(String),
    /// Which keys metadata has at a path, if they are few; of these keys the types of values, and texts that are alike.
    Keys {
        /// The keys of the objects around.
        path: Vec<String>,
        /// The keys of the filter there.
        wanted: Wanted,
    },
    /// Which bases have no chunk.
    Empty,
    /// In which bases no chunk has a vector yet.
    Waiting,
}

/// The own part of a request about a search without results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HintsAsked<I> {
    /// The knowledge bases.
    pub bases: Vec<I>,
}

/// The answer to one of the questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hinted {
    /// None if a document has the source type, or if that is not known.
    SourceTypes(Option<Vec<String>>),
    /// None if that is not known.
    Keys(Option<Held>),
    /// The names of bases.
    Empty(Vec<String>),
    /// The names of bases.
    Waiting(Vec<String>),
}
