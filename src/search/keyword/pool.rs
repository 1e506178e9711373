//! Figures of all bases searched together: BM25 scores of several bases compare only when they rest on the same ones.

use std::collections::HashMap;

use super::Query;
use crate::base::KnowledgeBase;
use crate::corpus::{self, Size};
use crate::error::Result;
use crate::spi::Connection;

/// Chunks, words and document frequencies, added up over bases.
#[derive(Debug, Default)]
pub struct Pool {
    /// How many chunks there are.
    pub chunks: f64,
    words: f64,
    frequencies: HashMap<String, f64>,
}

impl Pool {
    /// Adds the figures of a base for the lexemes of the query.
    pub fn add(
        &mut self,
        connection: &Connection,
        base: &KnowledgeBase,
        size: &Size,
        query: &Query,
    ) -> Result<()> {
        self.chunks += size.chunks as f64;
        self.words += size.words as f64;
        let frequencies = corpus::frequencies(connection, base, size, &query.lexemes)?;
        for (lexeme, frequency) in query.lexemes.iter().zip(frequencies) {
            *self.frequencies.entry(lexeme.clone()).or_default() += frequency;
        }
        Ok(())
    }

    /// In how many chunks a lexeme is.
    pub fn frequency(&self, lexeme: &str) -> f64 {
        self.frequencies.get(lexeme).copied().unwrap_or_default()
    }

    /// Words a chunk, 0 when there is none.
    pub fn mean_length(&self) -> f64 {
        if self.chunks > 0.0 { self.words / self.chunks } else { 0.0 }
    }
}
