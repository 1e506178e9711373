//! How well a model reads texts, as its tokenizer tells.

use std::collections::HashMap;

use kb_rag_core::blob::words;
use kb_rag_core::legibility::{median_tokens_per_character, weight};
use kb_rag_core::model_name::ModelName;

use super::{Candidate, results};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::model::{self, ModelTokenizer};
use crate::postgres::spi::Connection;

/// How well, from 0 to 1, a model reads the texts of these chunks: the weight of its arm where there are keywords too. 1 if its
/// tokenizer is not known.
pub fn of_chunks(
    connection: &Connection,
    bases: &[KnowledgeBase],
    model: &ModelName,
    chunks: &[Candidate],
) -> Result<f64> {
    of_texts(model, || Ok(starts(connection, bases, chunks)?.into_values().collect()))
}

/// The first characters of chunks.
fn starts(
    connection: &Connection,
    bases: &[KnowledgeBase],
    chunks: &[Candidate],
) -> Result<HashMap<Candidate, String>> {
    let sql = include_str!("chunk_start.sql");
    results::read(connection, bases, chunks, sql, |row| row.require::<String>(2))
}

/// Tokens and characters of the texts of these chunks, as the tokenizer of a model reads them. Nothing if it is not known.
pub fn readings(
    connection: &Connection,
    bases: &[KnowledgeBase],
    model: &ModelName,
    chunks: &[Candidate],
) -> Result<HashMap<Candidate, (usize, usize)>> {
    let tokenizer = model::tokenizer_of(model).ok().and_then(|model| model.tokenizer());
    let Some(tokenizer) = tokenizer else { return Ok(HashMap::new()) };
    let starts = starts(connection, bases, chunks)?;
    Ok(starts.into_iter().map(|(id, text)| (id, reading(&tokenizer, &text))).collect())
}

/// Tokens and characters of a text. Data is of no language: one blob must not decide how a base of few chunks is read.
fn reading(tokenizer: &ModelTokenizer, text: &str) -> (usize, usize) {
    let reading = tokenizer.reading(&words(text));
    (reading.tokens, reading.characters)
}

/// How well, from 0 to 1, a model reads texts, which are asked for only if its tokenizer is known. 1 if it is not.
pub fn of_texts(model: &ModelName, texts: impl FnOnce() -> Result<Vec<String>>) -> Result<f64> {
    // A search with a vector of the caller works without the files of the model.
    let tokenizer = model::tokenizer_of(model).ok().and_then(|model| model.tokenizer());
    let Some(tokenizer) = tokenizer else { return Ok(1.0) };
    let texts = texts()?;
    let readings = texts.iter().map(|text| reading(&tokenizer, text));
    Ok(median_tokens_per_character(readings).map_or(1.0, weight))
}
