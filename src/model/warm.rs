//! Vectors of queries: for searches, in batches for evaluations, and in the table for later searches (kb_warm_query).

use kb_rag_core::provider::{Input, tokens};

use super::query_cache::{self, Query};
use super::{InputType, Model, RemoteModel};
use crate::error::{Error, Result};
use crate::postgres::snapshot;
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

/// The cost of vectors of some questions.
pub struct Questions {
    /// Texts that no cache has.
    pub texts: Vec<String>,
    pub calls: usize,
    /// An estimate.
    pub tokens: u64,
    /// None if the price is not known.
    pub cost: Option<f64>,
}

impl Model {
    /// The vector of a question that is searched for, from the cache if it is there.
    pub fn embed_question(&self, text: &str, dimensions: i32) -> Result<Vec<f32>> {
        let embed = || self.embed(text, dimensions, InputType::Query);
        match self {
            Model::Local(local) => {
                let (place, model) = (local.encoder.variant(), local.name.as_str());
                query_cache::get_here_or(&Query { place, model, dimensions, text }, embed)
            }
            Model::Fake(_) | Model::Elsewhere(_) | Model::Remote(_) => embed(),
        }
    }

    /// The calls that vectors of some texts take. None if the model is not called over the network.
    pub fn questions(&self, texts: Vec<String>, dimensions: i32) -> Result<Option<Questions>> {
        let Model::Remote(remote) = self else { return Ok(None) };
        let mut unknown = Vec::new();
        for text in texts {
            if query_cache::get(&remote.query(&text, dimensions))?.is_none() {
                unknown.push(text);
            }
        }
        let tokens = unknown.iter().map(|text| tokens::estimate_tokens(text)).sum();
        let calls = remote.batches(&unknown).len();
        Ok(Some(Questions { texts: unknown, calls, tokens, cost: remote.cost(tokens) }))
    }

    /// Embeds questions of a knowledge base, its id and name, in as few calls as it takes, and caches their vectors.
    pub fn embed_questions(
        &self,
        questions: &Questions,
        dimensions: i32,
        knowledge_base: (pgrx::Uuid, &str),
    ) -> Result<()> {
        let Model::Remote(remote) = self else { return Ok(()) };
        let (mut calls, mut tokens) = (0, None);
        for range in remote.batches(&questions.texts) {
            let texts = &questions.texts[range];
            let answer = remote.answer(texts, dimensions as usize, Input::Query)?;
            for (text, vector) in texts.iter().zip(&answer.vectors) {
                query_cache::put(&remote.query(text, dimensions), vector);
            }
            calls += 1;
            tokens = answer.tokens.map(|counted| counted + tokens.unwrap_or(0)).or(tokens);
        }
        // Questions can also be asked on a standby.
        if calls == 0 || !snapshot::may_write() {
            return Ok(());
        }
        record(remote, knowledge_base, calls, questions.texts.len(), tokens)
    }
}

fn record(
    remote: &RemoteModel,
    knowledge_base: (pgrx::Uuid, &str),
    calls: i64,
    items: usize,
    tokens: Option<u64>,
) -> Result<()> {
    usage::record(&Usage {
        knowledge_base: Some(knowledge_base),
        model: remote.name().as_str(),
        calls,
        items: items as i64,
        tokens,
        cost: tokens.and_then(|tokens| remote.cost(tokens)),
        ..Usage::default()
    })
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
    record(remote, knowledge_base, 1, texts.len(), answer.tokens)
}
