//! kb_provider_test: one call to a provider.

use std::time::Instant;

use kb_rag_core::provider::{Input, Kind};

use super::remote;
use crate::error::{Error, Result};
use crate::provider;
use crate::provider::usage::{self, Usage};
use crate::role;
use crate::spi::Access;

/// What is embedded.
const SAMPLE: &str = "A text to try whether it can be embedded.";

/// What a call gave.
pub struct Trial {
    /// As provider/model.
    pub model: String,
    pub dimensions: usize,
    pub milliseconds: f64,
    /// As the provider counts them.
    pub tokens: Option<u64>,
}

/// Embeds one text with a model of the provider, by default one that its kind is known for. The error says what is wrong.
pub fn try_provider(name: &str, model: Option<&str>) -> Result<Trial> {
    let provider = provider::require(name, Access::Read)?;
    let model = match model {
        Some(model) => model,
        None => usual_model(provider.kind).ok_or_else(|| {
            Error::null("model").hint(format!(
                "A provider of kind {} has the models that were installed there: name one.",
                provider.kind.name()
            ))
        })?,
    };
    let full_name = format!("{name}/{model}");
    let model = remote::open(&full_name, name, model, role::current_role())?;
    let began = Instant::now();
    let answer = model.answer(&[SAMPLE.to_string()], 0, Input::Document)?;
    let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
    usage::record(&Usage {
        model: &full_name,
        calls: 1,
        items: 1,
        tokens: answer.tokens,
        cost: answer.tokens.and_then(|tokens| model.cost(tokens)),
        ..Usage::default()
    })?;
    Ok(Trial {
        dimensions: answer.vectors.first().map_or(0, Vec::len),
        model: full_name,
        milliseconds,
        tokens: answer.tokens,
    })
}

/// None where the models are those that somebody installed.
fn usual_model(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::OpenAi => Some("text-embedding-3-small"),
        Kind::Google => Some("gemini-embedding-001"),
        Kind::Cohere => Some("embed-v4.0"),
        Kind::Voyage => Some("voyage-3.5"),
        Kind::Mistral => Some("mistral-embed"),
        // It serves one model and is not asked for it by name.
        Kind::Tei => Some("default"),
        Kind::Ollama => None,
    }
}
