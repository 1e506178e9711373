//! Checks chunk settings given in SQL, and cuts texts into chunks by them.

mod prefix;
mod settings;

use std::cell::RefCell;

use kb_rag_core::chunk::{Before, Chunk, Chunker, TokenLimit, Tokenizer};
use kb_rag_core::model_name::ModelName;
use kb_rag_core::provider::tokens::Estimate;

use crate::error::Result;
use crate::model::{self, InputType, Model};
use crate::postgres::interrupt::check_for_interrupts;
use settings::Limits;

pub use prefix::{PREFIX_CHARACTERS, embedded_text, text_without_limit};
pub use settings::ChunkSettings;

/// Text in one chunk beyond this many bytes does not fit PostgreSQL's tsvector (MAXSTRPOS).
pub const MAX_CHUNK_BYTES: usize = (1 << 20) - 1;

/// What the strategy `auto` decides by.
pub struct Origin<'a> {
    pub mime_type: Option<&'a str>,
    pub source_key: Option<&'a str>,
    pub source_type: Option<&'a str>,
}

/// The chunks of a document. No chunk, including the title, heading and context embedded before it, exceeds the model's
/// token limit, except with the strategy `none`, and with a size in characters where the model does not read the language.
pub fn document_chunks<'a>(
    settings: &ChunkSettings,
    model: &'a Model,
    title: Option<&'a str>,
    content: &'a str,
    origin: &Origin,
) -> Result<impl Iterator<Item = Chunk> + use<'a>> {
    let limits = Limits::new(settings, || Ok(model.tokenizer()), model.name())?;
    let settings = limits.with(settings.strategy.of_document(origin, content))?;
    let chunker = Chunker::new(content, &settings).checking_interrupts(check_for_interrupts);
    let tokenizer = model.tokenizer();
    // A vector of a language that the model does not read tells little, however much of the chunk is in it.
    let start = &content[..content.floor_char_boundary(LANGUAGE_BYTES)];
    let is_limited =
        limits.window.is_some() || tokenizer.as_ref().is_none_or(|tokenizer| tokenizer.reads(start));
    let chunker = match (tokenizer.filter(|_| is_limited), limits.window) {
        (Some(tokenizer), _) => {
            let room = room(model, title);
            chunker.within(TokenLimit {
                tokenizer: Box::new(tokenizer),
                budget: Box::new(room),
                window: limits.window,
            })
        }
        (None, Some(window)) => chunker.within(TokenLimit {
            tokenizer: Box::new(Estimate::of(content)),
            budget: Box::new(|_| usize::MAX),
            window: Some(window),
        }),
        (None, None) => chunker,
    };
    let mut local = None;
    let chunker = chunker.topics(|sentences| match (model, &local) {
        // A writer does not wait for a network, and the places where a text is cut must not depend on one.
        (Model::Elsewhere(_), None) => embed_sentences(local.insert(model::default_model()?), sentences),
        (Model::Elsewhere(_), Some(local)) => embed_sentences(local, sentences),
        _ => embed_sentences(model, sentences),
    })?;
    Ok(chunker.chunks())
}

/// The chunks of a text outside of any base. Tokens and sentences are those of the default model, which is not looked up
/// unless the settings need it. `auto` knows neither a MIME type nor a name, so it means text.
pub fn text_chunks<'a>(
    content: &'a str,
    settings: &ChunkSettings,
) -> Result<impl Iterator<Item = Chunk> + use<'a>> {
    let tokenizer = || Ok(model::default_model()?.tokenizer());
    let limits = Limits::new(settings, tokenizer, &ModelName::new(model::DEFAULT))?;
    let settings = limits.with(settings.strategy.of_text())?;
    let mut chunker = Chunker::new(content, &settings).checking_interrupts(check_for_interrupts);
    if let Some(tokenizer) = limits.tokenizer {
        let limit = TokenLimit {
            tokenizer: Box::new(tokenizer),
            budget: Box::new(|_| usize::MAX),
            window: limits.window,
        };
        chunker = chunker.within(limit);
    }
    let mut model = None;
    let chunker = chunker.topics(|sentences| {
        let model = match &model {
            Some(model) => model,
            None => model.insert(model::default_model()?),
        };
        embed_sentences(model, sentences)
    })?;
    Ok(chunker.chunks())
}

fn embed_sentences(model: &Model, sentences: &str) -> Result<Vec<f32>> {
    model.embed(sentences, model.dimensions(None)?, InputType::Document)
}

/// So many bytes of a document tell its language: reading cannot be interrupted.
const LANGUAGE_BYTES: usize = 1 << 16;

/// The token budget for the text of a chunk after title, heading and context. The value for the last ones is kept: it is usually
/// asked for many times in a row.
fn room<'a>(model: &'a Model, title: Option<&'a str>) -> impl Fn(Before) -> usize + 'a {
    let without = prefix::room_after(model, title, Before::default());
    let last = RefCell::new((None, None, without));
    move |before| {
        if before == Before::default() {
            return without;
        }
        let mut last = last.borrow_mut();
        let (heading, context, _) = &*last;
        if (heading.as_deref(), context.as_deref()) != (before.heading, before.context) {
            let room = prefix::room_after(model, title, before);
            *last = (before.heading.map(str::to_string), before.context.map(str::to_string), room);
        }
        last.2
    }
}

/// How many tokens the model counts in a text. None where its tokenizer is not known.
pub fn count_tokens(model: &Model, text: &str) -> Option<i32> {
    model.tokenizer().and_then(|tokenizer| i32::try_from(tokenizer.count(text)).ok())
}
