//! Requests and answers of searches as they go over the wire. `I` identifies chunks, documents and knowledge bases.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::circle::Circle;
use super::exact::{Bytes, Exact, Floats};
use crate::lexeme::Held;
use crate::search::{Mode, Thresholds, Window};

/// The number of this protocol. Servers with another one do not search together.
pub const PROTOCOL: u64 = 1;

/// The request of a server: what it asks all, and what it asks one.
pub fn request_of(common: &impl Serialize, own: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(&(PROTOCOL, common, own))
}

/// The protocol of a request or an answer, with what follows the number. None for anything else.
pub fn protocol_of(value: Value) -> Option<(u64, Vec<Value>)> {
    let Value::Array(mut rest) = value else { return None };
    let protocol = rest.first()?.as_u64()?;
    rest.remove(0);
    Some((protocol, rest))
}

/// An answer with its number.
pub fn answer_of(answer: &impl Serialize) -> (u64, &impl Serialize) {
    (PROTOCOL, answer)
}

/// The parts of a request, or the answer, that follow the number.
pub fn of_answer<T: DeserializeOwned>(values: Vec<Value>) -> serde_json::Result<T> {
    serde_json::from_value(Value::Array(values))
}

/// The arguments of a search that decide about the chunks of a base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The question.
    pub query: String,
    /// Which ways of searching are used.
    pub mode: Mode,
    /// Whether it has the operators of web search engines.
    pub is_web: bool,
    /// The filter by metadata, as JSON text: numbers stay as they are.
    pub filter: Option<String>,
    /// The source type of documents.
    pub source_type: Option<String>,
    /// How matches by keyword are ranked.
    pub ranker: String,
}

/// Which knowledge bases of a server are covered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Scope<I> {
    /// All that the caller may read without naming them.
    All {
        /// Whether those are left out whose provider would see the question, but belongs to a role that is not trusted.
        leaves_out_untrusted: bool,
    },
    /// Those that are attached to an agent.
    Agent(I),
    /// Those of the names that the server is asked for.
    Names,
}

/// The common part of a request for statistics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics<I> {
    /// The question.
    pub question: Question,
    /// Where.
    pub scope: Scope<I>,
}

/// The own part of a request for statistics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnStatistics {
    /// The names of knowledge bases.
    pub names: Vec<String>,
}

/// The answer to a request for statistics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatisticsTold<I> {
    /// The bases in scope.
    pub of: Vec<About<I>>,
    /// The others.
    pub circle: Circle,
}

/// A knowledge base in the answer to a request for statistics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About<I> {
    /// Its identifier.
    pub id: I,
    /// Its name.
    pub name: String,
    /// The name of its embedding model.
    pub model: String,
    /// The dimensions of its vectors.
    pub dimensions: i32,
    /// How its matches by keyword are ranked.
    pub ranker: String,
    /// Its own threshold of results.
    pub match_threshold: Option<Exact>,
    /// Its own gate of answers.
    pub answer_threshold: Option<Exact>,
    /// The gate, the threshold and that of exact matches of its model.
    pub of_model: Option<[Option<Exact>; 3]>,
    /// Whether its chunks get vectors.
    pub makes_vectors: bool,
    /// Whether searches in it are logged.
    pub is_logged: bool,
    /// How many chunks the caller may see; 0 where the frequencies could not be read.
    pub chunks: Exact,
    /// The sum of their lengths.
    pub length: Exact,
    /// In how many chunks each lexeme of the question is.
    pub frequencies: Frequencies,
    /// Whether anything is left of the question to search for by keyword.
    pub has_words: bool,
}

/// Lexemes with how many chunks have them.
pub type Frequencies = Vec<(String, Exact)>;

/// The common part of a request for candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidates<I> {
    /// The question.
    pub question: Question,
    /// The agent, whose filters apply.
    pub agent: Option<I>,
    /// Whether the caller names the bases, and so takes the policies of their owners.
    #[serde(default)]
    pub is_named: bool,
    /// How many chunks all bases have.
    pub chunks: Exact,
    /// The sum of their lengths.
    pub length: Exact,
    /// In how many chunks of all bases each lexeme is.
    pub frequencies: Frequencies,
    /// The vectors of the question that are known.
    pub vectors: Vec<Vector>,
    /// The facts that come along with chunks that are found.
    pub with: With,
}

/// The vector of the question in an embedding space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vector {
    /// The name of the model.
    pub model: String,
    /// The number of dimensions.
    pub dimensions: i32,
    /// The vector.
    pub vector: Floats,
}

/// The facts that come along with chunks that are found, as far as a later step may ask for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct With {
    /// The share of the question that the first one by keyword holds.
    pub coverage: bool,
    /// The same of the first ones by keyword, in whole words.
    pub held: bool,
    /// The scores by keyword of those found by vectors, and how well the model reads the first of them.
    pub scores: bool,
    /// Their documents.
    pub documents: bool,
    /// Digests of their texts.
    pub texts: bool,
}

/// The own part of a request for candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked<I> {
    /// The knowledge bases; what is asked has their places in this list.
    pub bases: Vec<I>,
    /// The questions.
    pub asks: Vec<Ask<I>>,
}

/// An action of a search, for the bases of one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Ask<I> {
    /// [`crate::search::Keyword`].
    Keyword { base: usize, depth: usize, needed: usize },
    /// [`crate::search::Nearest`].
    Nearest { base: usize, depth: usize, candidates: usize },
    /// [`crate::search::Coverage`].
    Coverage { base: usize, ids: Vec<I> },
    /// [`crate::search::FirstByKeyword`].
    Held { base: usize, ids: Vec<I> },
    /// [`crate::search::Open`], and the vector of the question if the model reads it.
    Open { base: usize, checks_question: bool },
    /// [`crate::search::Read`].
    Read { base: usize, ids: Vec<I> },
    /// [`crate::search::Similarities`].
    Similarities { base: usize, ids: Vec<I> },
    /// [`crate::search::KeywordScores`].
    KeywordScores { base: usize, ids: Vec<I> },
    /// [`crate::search::Documents`].
    Documents { base: usize, ids: Vec<I> },
    /// [`crate::search::Texts`].
    Texts { base: usize, ids: Vec<I> },
    /// [`crate::search::Places`].
    Places { base: usize, ids: Vec<I>, window: Window },
    /// [`crate::search::Queue`].
    Queue { base: usize },
    /// [`crate::search::Lacking`].
    Lacking { base: usize },
}

/// The answer to a request for candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered<I> {
    /// The answers in the order of what was asked.
    pub told: Vec<Told<I>>,
    /// How many lexemes of a long question were left out.
    pub left_out: usize,
}

/// The answer to an [`Ask`]. Chunks that are gone, or have nothing to tell, are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Told<I> {
    /// Chunks, the best first, and how they were found.
    Found {
        hits: Vec<Found<I>>,
        method: Option<String>,
    },
    Scores(Vec<(I, Exact)>),
    Shares(Vec<(I, Shares)>),
    /// Tokens and characters.
    Readings(Vec<(I, (usize, usize))>),
    Documents(Vec<(I, I)>),
    Texts(Vec<(I, Bytes)>),
    Places(Vec<(I, Placed<I>)>),
    Flag(bool),
    /// Without a vector, the model does not read the question.
    Opened {
        vector: Option<Floats>,
        microseconds: u64,
    },
    /// A model that cannot be used. `is_opened` says whether it could be opened.
    Failed {
        failure: Failure,
        is_opened: bool,
    },
}

/// A chunk that was found, with what [`With`] asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found<I> {
    /// The chunk.
    pub id: I,
    /// Its score, or its similarity.
    pub score: Exact,
    /// Its share of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Shares>,
    /// The same in whole words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Shares>,
    /// Its score by keyword, with the bonus for words that are near to each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword_score: Option<Exact>,
    /// Tokens and characters of its beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<(usize, usize)>,
    /// Its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<I>,
    /// A digest of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Bytes>,
}

impl<I> Found<I> {
    /// A chunk of which nothing else is known.
    pub fn new(id: I, score: f64) -> Found<I> {
        Found {
            id,
            score: Exact(score),
            coverage: None,
            held: None,
            keyword_score: None,
            reading: None,
            document: None,
            text: None,
        }
    }
}

/// The shares of a question that a chunk holds: [`Held`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shares(Exact, Exact, Exact);

impl From<Held> for Shares {
    fn from(held: Held) -> Shares {
        Shares(Exact(held.words), Exact(held.codes), Exact(held.rare_codes))
    }
}

impl From<Shares> for Held {
    fn from(Shares(words, codes, rare_codes): Shares) -> Held {
        Held { words: words.0, codes: codes.0, rare_codes: rare_codes.0 }
    }
}

/// Where a chunk stands: [`crate::search::Place`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed<I> {
    /// The document.
    pub document: I,
    /// Where the chunk begins and ends.
    pub chunk: (u32, u32),
    /// Where it begins and ends with its neighbors, or the document.
    pub around: (u32, u32),
}

/// An error that a search does without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The SQLSTATE, as PostgreSQL packs it into a number.
    pub sqlstate: i32,
    /// The message.
    pub message: String,
    /// The detail.
    pub detail: Option<String>,
    /// The hint.
    pub hint: Option<String>,
}

/// The common part of a request for rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rows<I> {
    /// The question.
    pub question: Question,
    /// The agent, whose filters apply.
    pub agent: Option<I>,
    /// Whether the caller names the bases, and so takes the policies of their owners.
    #[serde(default)]
    pub is_named: bool,
    /// The part of its document that each row shows; None for its chunk.
    pub window: Option<Window>,
    /// Whether rows have a snippet.
    pub has_snippets: bool,
}

/// The own part of a request for rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsAsked<I> {
    /// The knowledge bases.
    pub bases: Vec<I>,
    /// The rows.
    pub rows: Vec<RowAsked<I>>,
    /// Chunks with the text of a row: the place of the base, and the chunk.
    pub copies: Vec<(usize, I)>,
}

/// A row of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowAsked<I> {
    /// The place of its base.
    pub base: usize,
    /// The chunk.
    pub id: I,
    /// The similarity, where it tells something.
    pub similarity: Option<Exact>,
    /// The characters that it shows of its document.
    pub window: Option<(u32, u32)>,
}

/// The answer to a request for rows: those that the caller can see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsTold<I> {
    /// The rows.
    pub rows: Vec<Row<I>>,
    /// The copies.
    pub copies: Vec<Copy<I>>,
}

/// A row: the columns of a result that are read from tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Row<I> {
    pub base: usize,
    pub id: I,
    pub document_id: I,
    pub title: Option<String>,
    pub source: Option<String>,
    pub content: String,
    pub relevance: Option<Exact>,
    /// As JSON text: numbers stay as they are.
    pub metadata: String,
    pub source_type: Option<String>,
    pub heading: Option<String>,
    pub page: Option<i32>,
    pub ordinal: Option<i32>,
    pub start_char: Option<i32>,
    pub end_char: Option<i32>,
    pub context: Option<String>,
    pub snippet: Option<String>,
    pub text_config: Option<String>,
}

/// A chunk with the text of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Copy<I> {
    pub base: usize,
    pub id: I,
    pub document_id: I,
    pub source: Option<String>,
}

impl<I> About<I> {
    /// Those of its model.
    pub fn thresholds_of_model(&self) -> Option<Thresholds> {
        let [gate, filter, exact] = self.of_model?.map(|found| found.map(|Exact(found)| found));
        Some(Thresholds { gate, filter, exact })
    }
}
