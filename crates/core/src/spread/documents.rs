//! Requests about documents, for lists and summaries over several servers, and their answers.

use serde::{Deserialize, Serialize};

use super::circle::Circle;

/// The common part of a request about documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Documents<I> {
    /// The number of each source type, in the bases that the caller may read without naming them.
    Counts,
    /// The newest ones in these bases.
    Newest {
        /// Their source type.
        source_type: Option<String>,
        /// The filter by metadata, as JSON text.
        filter: Option<String>,
        /// At most so many of each base.
        max: i64,
    },
    /// The bases that have this document.
    Holders {
        /// The document.
        document: I,
        /// Whether the caller is told of bases that are left out.
        notifies: bool,
    },
    /// Those that the server is asked for.
    Details {
        /// The agent to which the bases are attached.
        agent: Option<I>,
        /// Whether the caller names the bases, and so takes the policies of their owners.
        is_named: bool,
        /// The level of detail.
        level: String,
        /// Whether their chunks are counted.
        counts_chunks: bool,
    },
}

/// The own part of a request about documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentsAsked<I> {
    /// Knowledge bases with documents of each; none where all bases are asked.
    pub of: Vec<(I, Vec<I>)>,
}

/// The answer to a request about documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum DocumentsTold<I> {
    Counts {
        of: Vec<Count>,
        circle: Circle,
    },
    Newest {
        of: Vec<Newest<I>>,
        circle: Circle,
    },
    /// The names of the bases.
    Holders(Vec<String>),
    Details {
        of: Vec<Detail<I>>,
        /// Those that would make the answer too large, by the places of their bases: they are to be asked for again.
        rest: Vec<(usize, I)>,
    },
}

/// The documents of one source type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Count {
    pub source_type: Option<String>,
    pub documents: i64,
    pub chunks: i64,
    pub failed: i64,
}

/// The newest documents of a knowledge base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newest<I> {
    /// The base.
    pub id: I,
    /// Its name.
    pub name: String,
    /// When each was created, in microseconds as PostgreSQL counts them.
    pub places: Vec<(Option<i64>, I)>,
}

/// A document: the columns of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Detail<I> {
    /// The place of its base.
    pub base: usize,
    pub id: I,
    pub knowledge_base: String,
    pub title: Option<String>,
    pub source: Option<String>,
    pub source_type: Option<String>,
    pub mime_type: Option<String>,
    pub language: Option<String>,
    pub status: Option<String>,
    pub error_message: Option<String>,
    /// As JSON text: numbers stay as they are.
    pub metadata: String,
    pub created_at: Option<i64>,
    pub updated_at: Option<i64>,
    pub chunks: Option<i64>,
    pub abstract_text: String,
    pub overview: Option<String>,
    pub content: Option<String>,
}
