//! How well a model reads texts, as its tokenizer tells.

use kb_rag_core::legibility::{median_tokens_per_character, weight};
use kb_rag_core::model_name::ModelName;

use super::{Candidate, results};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::model;
use crate::postgres::spi::Connection;

/// How well, from 0 to 1, a model reads the texts of these chunks: the weight of its arm where there are keywords too. 1 if its
/// tokenizer is not known.
pub fn of_chunks(
    connection: &Connection,
    bases: &[KnowledgeBase],
    model: &ModelName,
    chunks: &[Candidate],
) -> Result<f64> {
    // A search with a vector of the caller works without the files of the model.
    let tokenizer = model::tokenizer_of(model).ok().and_then(|model| model.tokenizer());
    let Some(tokenizer) = tokenizer else { return Ok(1.0) };
    let starts = results::read(connection, bases, chunks, include_str!("chunk_start.sql"), |row| {
        row.require::<String>(2)
    })?;
    let readings = starts.values().map(|start| {
        let reading = tokenizer.reading(start);
        (reading.tokens, reading.characters)
    });
    Ok(median_tokens_per_character(readings).map_or(1.0, weight))
}
