//! Whether the model of a space reads the language of the query and of the texts, as its tokenizer tells.

use kb_rag_core::legibility::{median_tokens_per_character, weight};

use super::space::Space;
use super::{Ranked, Search, results};
use crate::error::{Error, Result};
use crate::model::{self, Model};

/// So many of the best hits are read.
const HITS: usize = 10;

/// With a weight below this, the model does not read the texts: that is told, and no threshold applies.
pub const READ: f64 = 0.5;

/// Whether the model reads the query. A search that does not go by keywords too has nothing better.
pub fn of_query(search: &Search, space: &Space, model: &Model, query: &str) -> bool {
    let tokenizer = model.tokenizer().filter(|_| search.uses_keywords());
    let is_read = tokenizer.is_none_or(|tokenizer| tokenizer.reads(query));
    if !is_read {
        notify_unreadable(search, space, "the question", 0.0);
    }
    is_read
}

/// How well, from 0 to 1, the model of a space reads the texts of the best of these hits: the weight of its arm where there are
/// keywords too. 1 if its tokenizer is not known.
pub fn of_hits(search: &Search, space: &Space, hits: &Ranked) -> Result<f64> {
    // A search with a vector of the caller works without the files of the model.
    let tokenizer = model::tokenizer_of(&space.space.model).ok().and_then(|model| model.tokenizer());
    let Some(tokenizer) = tokenizer else { return Ok(1.0) };
    let best: Vec<_> = hits.iter().take(HITS).map(|(candidate, _)| *candidate).collect();
    let starts =
        results::read(search.connection, search.bases, &best, include_str!("chunk_start.sql"), |row| {
            row.require::<String>(2)
        })?;
    let readings = starts.values().map(|start| {
        let reading = tokenizer.reading(start);
        (reading.tokens, reading.characters)
    });
    let weight = median_tokens_per_character(readings).map_or(1.0, weight);
    if weight < READ {
        notify_unreadable(search, space, "the texts found", weight);
    }
    Ok(weight)
}

/// Notifies once a session that a model does not read something.
fn notify_unreadable(search: &Search, space: &Space, what: &str, weight: f64) {
    let reads = if weight > 0.0 { "hardly reads" } else { "cannot read" };
    let effect = match (search.uses_keywords(), weight > 0.0) {
        (false, _) => "Similarity says little about such texts.",
        (true, true) => "Keywords decide the order of the results; similarity counts little.",
        (true, false) => "The search used keywords only.",
    };
    let (model, bases) = (&space.space.model, space.named(search));
    Error::remark(format!("model \"{model}\" of {bases} {reads} the language of this search"))
        .detail(format!("Its vocabulary lacks most words of {what}. {effect}"))
        .hint("Use a multilingual model, for example kb_configure(name, model => 'local/multilingual-e5-small').")
        .notify_once();
}
