//! The protocols of providers of embedding and chat models: builds requests and reads answers, without network, clock or
//! randomness.
//!
//! A caller asks [`Kind::request`] for a [`Call`], sends it to the provider's base URL with [`Kind::auth_header`], and
//! gives the body to [`Kind::read_answer`] when the status is 200 and to [`Kind::read_refusal`] when it is not.

mod answer;
pub mod batch;
mod chat;
mod cohere;
mod facts;
mod fault;
mod google;
mod header;
mod kind;
mod mistral;
mod ollama;
mod openai;
mod refusal;
pub mod retry;
pub(crate) mod retry_after;
pub(crate) mod said;
mod secret;
mod tei;
pub mod tokens;
mod vector;
mod voyage;

pub use chat::{Question, Reply};
pub use facts::{Dimensions, Facts};
pub use fault::Fault;
pub use header::carries_key;
pub use kind::Kind;
pub use refusal::{Reason, Refusal};
pub use secret::redact;

/// The purpose of a text: many models embed a question differently from the chunk that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A search query.
    Query,
    /// A text to be searched.
    Document,
}

/// Texts to embed in one call.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The model's name at its provider.
    pub model: &'a str,
    /// The texts, without the model's prefixes: [`Kind::request`] adds them.
    pub texts: &'a [String],
    /// How many dimensions are wanted; 0 takes what the model gives.
    pub dimensions: usize,
    /// How many dimensions the model gives by default, if known. An answer with neither this number nor the
    /// requested one comes from another model and is rejected.
    pub natural: Option<usize>,
    /// What the texts are.
    pub input: Input,
}

/// A POST request with a JSON body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The path to append to the base URL; starts with a slash. [`Kind::url`] appends it.
    pub path: String,
    /// JSON.
    pub body: Vec<u8>,
}

/// The limits of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most texts in a request.
    pub items: usize,
    /// The most tokens in a text, if known.
    pub tokens_per_item: Option<usize>,
    /// The most tokens in a request, if limited.
    pub tokens: Option<usize>,
    /// The most bytes of text in a request; leaves space for the JSON around them.
    pub bytes: usize,
}

/// What an answer holds for the texts of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// In the order of the texts: a vector of length 1, or why that of this text cannot be used. At least one can,
    /// unless there are no texts.
    pub vectors: Vec<Result<Vec<f32>, Fault>>,
    /// The number of tokens that the provider counted.
    pub tokens: Option<u64>,
}

impl Reading {
    /// The vectors of all texts, or why one of them cannot be used.
    pub fn whole(self) -> Result<Answer, Fault> {
        let vectors = self.vectors.into_iter().collect::<Result<_, _>>()?;
        Ok(Answer { vectors, tokens: self.tokens })
    }
}

/// Vectors for the texts of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// In the order of the texts, each of length 1.
    pub vectors: Vec<Vec<f32>>,
    /// The number of tokens that the provider counted.
    pub tokens: Option<u64>,
}
