//! The ways in which an answer with status 200 can be wrong.

use super::said::one_line;
use crate::plural::counted;
use std::fmt::{self, Display, Formatter};

/// What is wrong with an answer. Texts are counted from 1 in messages and from 0 here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not JSON; says what it is instead.
    NotJson(String),
    /// The beginning of JSON, of this many bytes: the rest was lost on the way.
    Cut(usize),
    /// JSON of another shape than the provider documents; says where.
    NotAsDocumented(String),
    /// The number of vectors differs from the number of texts.
    Count {
        /// The number of texts sent.
        expected: usize,
        /// The number of vectors received.
        found: usize,
    },
    /// No vector, or more than one, claims to be for this text.
    Order(usize),
    /// A vector whose length differs from the one requested and that must not be truncated to it.
    Dimension {
        /// The number of dimensions requested.
        expected: usize,
        /// The number of dimensions received.
        found: usize,
    },
    /// A vector (of this text, if known) contains NaN, an infinity, null or a number too large.
    NotFinite(Option<usize>),
    /// This text's vector is zero and so has no direction.
    Zero(usize),
    /// An error in place of vectors, with its text.
    ErrorInside(String),
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::NotJson(what) => write!(f, "the provider's answer is not JSON: {}", excerpt(what)),
            Self::Cut(bytes) => {
                write!(f, "the provider's answer is not JSON: it ends within a value, after {bytes} bytes")
            }
            Self::NotAsDocumented(what) => {
                write!(f, "the provider's answer is not as documented: {}", excerpt(what))
            }
            Self::Count { expected, found } => {
                let (texts, vectors) = (counted(*expected, "text"), counted(*found, "vector"));
                write!(f, "the provider answered {texts} with {vectors}")
            }
            Self::Order(text) => {
                write!(f, "the provider's vectors are out of order: not exactly one is for text {}", text + 1)
            }
            Self::Dimension { expected, found } => {
                let found = counted(*found, "dimension");
                write!(f, "the provider answered with {found} where {expected} were expected")
            }
            Self::NotFinite(None) => {
                f.write_str("one of the provider's vectors holds a number that is not finite")
            }
            Self::NotFinite(Some(text)) => {
                write!(f, "the provider's vector for text {} holds a number that is not finite", text + 1)
            }
            Self::Zero(text) => write!(f, "the provider's vector for text {} is zero", text + 1),
            Self::ErrorInside(said) => {
                write!(f, "the provider answered with an error in a successful response: {}", excerpt(said))
            }
        }
    }
}

impl std::error::Error for Fault {}

/// Enough of a body to recognize it.
fn excerpt(text: &str) -> String {
    one_line(text, 200)
}
