//! Statistics of all bases searched together: BM25 scores of several bases are comparable only if they use the same ones.

use std::collections::HashMap;

use crate::keyword_index::Size;

/// Chunks, their length and document frequencies, added up over bases.
#[derive(Debug, Default)]
pub struct Pool {
    /// How many chunks there are.
    pub chunks: f64,
    /// The sum of their lengths.
    pub length: f64,
    /// In how many of them each lexeme is.
    pub frequencies: HashMap<String, f64>,
}

impl Pool {
    /// Adds the statistics of a base: its size, and the frequencies of lexemes.
    pub fn add(&mut self, size: &Size, lexemes: &[String], frequencies: Vec<f64>) {
        self.chunks += size.chunks as f64;
        self.length += size.length as f64;
        for (lexeme, frequency) in lexemes.iter().zip(frequencies) {
            *self.frequencies.entry(lexeme.clone()).or_default() += frequency;
        }
    }

    /// In how many chunks a lexeme is.
    pub fn frequency(&self, lexeme: &str) -> f64 {
        self.frequencies.get(lexeme).copied().unwrap_or_default()
    }

    /// Mean length of a chunk, 0 when there is none.
    pub fn mean_length(&self) -> f64 {
        if self.chunks > 0.0 { self.length / self.chunks } else { 0.0 }
    }
}
