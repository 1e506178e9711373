//! A keyword index for BM25 as a log-structured set of segments: the format of their rows, merging and ranking.
//!
//! A chunk has a number, a length and lexemes with their occurrences. A *segment* is a set of chunks that does not change, whose
//! ordinals 0, 1, … follow the order of their numbers. It is stored as rows sorted by lexeme. New chunks form small segments
//! ([`Builder`]), which [`merge`] joins as [`plan`] says. Deleted chunks are listed by negative segments, which annihilate the
//! others when both meet in a merge. A query takes from each segment the lists of its lexemes ([`Part`]), and ranks the chunks in
//! them ([`Searcher`]).

mod bitmap;
mod block;
mod builder;
mod bytes;
mod merge;
mod numbers;
mod part;
pub mod plan;
mod row;
mod search;
#[cfg(test)]
mod tests;

pub use bitmap::Bitmap;
pub use builder::{Builder, Summary};
pub use merge::{Input, Merged, Sink, Source, merge};
pub use part::{Part, frequency_in};
pub use row::{Key, MAX_ROW_BYTES, ROW_BYTES, Row, SMALL_BYTES};
pub use search::{Ranking, Searcher};

/// No segment has more chunks. The limit keeps sums of ordinals within 32 bits, and bounds what a damaged segment makes a search do.
pub const MAX_ORDINALS: u32 = 1 << 24;

/// The bytes of a row are not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl std::fmt::Display for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the keyword index is damaged")
    }
}

impl std::error::Error for Damaged {}
