//! kb_provider_test: one call to a provider.

use std::time::Instant;

use kb_rag_core::plural::counted;
use kb_rag_core::provider::Kind;

use crate::base;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::spi::Access;
use crate::provider;
use crate::provider::usage::{self, Usage};

/// The text that is embedded.
const SAMPLE: &str = "A text to try whether it can be embedded.";

/// The result of a call.
pub struct Trial {
    /// As provider/model.
    pub model: String,
    pub dimensions: usize,
    pub milliseconds: f64,
    /// As the provider counts them.
    pub tokens: Option<u64>,
}

/// Embeds one text with a model of the provider: by default the model of a base that uses the provider, otherwise a
/// common model of its kind. The error says what is wrong; a warning tells if a known model returns unexpected
/// dimensions.
pub fn try_provider(name: &str, model: Option<&str>) -> Result<Trial> {
    let provider = provider::require(name, Access::Read)?;
    let kind = provider.embedding()?;
    let model = match model {
        // With the provider's name before it, or as the provider calls it.
        Some(model) => model.strip_prefix(&format!("{name}/")).unwrap_or(model).to_string(),
        None => model_in_use(name)?.or(usual_model(kind).map(str::to_string)).ok_or_else(|| {
            Error::null("model").hint(format!(
                "A provider of kind {} serves the models installed there: specify one.",
                kind.name()
            ))
        })?,
    };
    let model = model::at_provider(name, &model)?;
    model.warn_of_model();
    let began = Instant::now();
    let answer = model.try_text(SAMPLE)?;
    let milliseconds = began.elapsed().as_micros() as f64 / 1000.0;
    let dimensions = answer.vectors.first().map_or(0, Vec::len);
    if let Some(known) = model.known_dimensions().filter(|known| *known != dimensions) {
        pgrx::warning!(
            "model \"{}\" returned {}, but {known} were expected",
            model.name(),
            counted(dimensions, "dimension")
        );
    }
    usage::record(&Usage {
        model: model.name().as_str(),
        calls: 1,
        items: 1,
        tokens: answer.tokens,
        cost: answer.tokens.and_then(|tokens| model.cost(tokens)),
        ..Usage::default()
    })?;
    Ok(Trial { dimensions, model: model.name().to_string(), milliseconds, tokens: answer.tokens })
}

/// The model of one of the bases that the caller may read.
fn model_in_use(provider: &str) -> Result<Option<String>> {
    let bases = base::readable()?;
    let mut models = bases.iter().map(|base| &base.settings.space.model);
    Ok(models.find(|model| model.provider() == provider).map(|model| model.model().to_string()))
}

/// None where the models are those installed at the provider.
fn usual_model(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::OpenAi => Some("text-embedding-3-small"),
        Kind::Google => Some("gemini-embedding-001"),
        Kind::Cohere => Some("embed-v4.0"),
        Kind::Voyage => Some("voyage-3.5"),
        Kind::Mistral => Some("mistral-embed"),
        // It serves one model and ignores its name.
        Kind::Tei => Some("default"),
        Kind::Ollama => None,
    }
}
