//! Requests of the tools of agents whose knowledge bases are on several servers, and their answers.

use serde::{Deserialize, Serialize};

use super::circle::Circle;
use super::documents::Detail;

/// The common part of a request of tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tools<I> {
    /// The agent; without one, the bases are those of the caller.
    pub agent: Option<I>,
    /// The question.
    pub ask: ToolsAsk<I>,
}

/// A question of tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolsAsk<I> {
    /// The bases that have tools.
    Bases,
    /// The document of this id, with its text.
    Read(I),
}

/// The own part of a request of tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolsAsked<I> {
    /// The knowledge bases in which the document may be.
    pub bases: Vec<I>,
}

/// The answer to a request of tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolsTold<I> {
    /// Those that have tools.
    Bases {
        /// The bases that a model may name.
        of: Vec<ToolBase<I>>,
        /// The others.
        circle: Circle,
    },
    /// None where the agent finds no chunk of it.
    Read(Option<Box<Detail<I>>>),
}

/// A knowledge base that tools search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolBase<I> {
    /// Its identifier.
    pub id: I,
    /// Its name.
    pub name: String,
    /// The part of its tool's name after `search_`.
    pub slug: String,
    /// For people and models.
    pub description: Option<String>,
    /// The name of its embedding model.
    pub model: String,
    /// Whether its searches are logged.
    pub is_logged: bool,
    /// Whether it is searched where no base is named.
    pub is_searched: bool,
}
