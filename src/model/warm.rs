//! kb_warm_query: caches vectors of queries for later searches.

use kb_rag_core::provider::Input;

use super::query_cache::{self, Query};
use super::{Model, RemoteModel};
use crate::error::{Error, Result};
use crate::provider::usage::{self, Usage};
use crate::settings;

impl RemoteModel {
    fn query<'a>(&'a self, text: &'a str, dimensions: i32) -> Query<'a> {
        Query { place: self.base_url(), model: self.name().as_str(), dimensions, text }
    }

    /// The vector of a query, from the cache if it is there.
    pub fn embed_query(&self, text: &str, dimensions: i32) -> Result<Vec<f32>> {
        query_cache::get_or(&self.query(text, dimensions), || {
            let answer = self.answer(&[text.to_string()], dimensions as usize, Input::Query)?;
            answer.vectors.into_iter().next().ok_or_else(|| Error::internal("an answer without a vector"))
        })
    }
}

/// Embeds texts that searches of a knowledge base will need, and writes the vectors to the table. Local models do not
/// need that. `knowledge_base` is its id and name.
pub fn warm(
    model: &Model,
    dimensions: i32,
    texts: &[String],
    knowledge_base: (pgrx::Uuid, &str),
) -> Result<()> {
    let Model::Remote(remote) = model else { return Ok(()) };
    let ttl = settings::query_cache_ttl().ok_or_else(|| {
        Error::not_ready("query vectors are not cached").hint("Set kb_rag.query_cache_ttl above 0.")
    })?;
    let answer = remote.answer(texts, dimensions as usize, Input::Query)?;
    for (text, vector) in texts.iter().zip(&answer.vectors) {
        query_cache::store(&remote.query(text, dimensions), vector, ttl)?;
    }
    usage::record(&Usage {
        knowledge_base: Some(knowledge_base),
        model: remote.name().as_str(),
        calls: 1,
        items: texts.len() as i64,
        tokens: answer.tokens,
        cost: answer.tokens.and_then(|tokens| remote.cost(tokens)),
        ..Usage::default()
    })
}
