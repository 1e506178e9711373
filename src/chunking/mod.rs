//! Checks chunk settings given in SQL, and cuts texts into chunks by them.

mod prefix;

use std::cell::RefCell;

use kb_rag_core::chunk::{self, Chunk, Chunker, Settings, Strategy, TokenLimit, TokenWindow, Tokenizer};

use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::interrupt::take_interrupts;
use crate::model::{self, InputType, Model, ModelTokenizer};

pub use prefix::{PREFIX_CHARACTERS, embedded_text, text_without_limit};

/// The largest chunk size, in characters.
const MAX_CHUNK_SIZE: i32 = 1_000_000;

/// Text in one chunk beyond this many bytes does not fit PostgreSQL's tsvector (MAXSTRPOS).
pub const MAX_CHUNK_BYTES: usize = (1 << 20) - 1;

/// A chunk counted in tokens has at most this many characters per token: to a model of the BERT family a longer word is one
/// unknown token, and white space is none.
const CHARACTERS_PER_TOKEN: usize = 100;

/// What the strategy `auto` decides by.
pub struct Origin<'a> {
    pub mime_type: Option<&'a str>,
    pub source_key: Option<&'a str>,
    pub source_type: Option<&'a str>,
}

/// 22023 unless these settings can be used with the model.
pub fn check(size: i32, overlap: i32, unit: &str, strategy: &str, model: &Model) -> Result<()> {
    Cutting::new(size, overlap, unit, || Ok(model.tokenizer()), model.name())?;
    strategy_named(strategy)?;
    Ok(())
}

/// 22023 for settings that cannot be used with any model.
pub fn check_stored(size: i32, overlap: i32, unit: &str, strategy: &str) -> Result<()> {
    strategy_named(strategy)?;
    match unit {
        "char" => Cutting::new(size, overlap, unit, || Ok(None), "").map(drop),
        "token" if size >= 1 && (0..size).contains(&overlap) => Ok(()),
        "token" => {
            Err(Error::invalid(format!("chunk_size {size} with chunk_overlap {overlap} is out of range")))
        }
        _ => Err(unknown_unit(unit)),
    }
}

/// The chunks of a document of the base. No chunk, including the title and heading embedded before it, exceeds the model's
/// token limit, except with the strategy `none`.
pub fn document_chunks<'a>(
    base: &KnowledgeBase,
    model: &'a Model,
    title: Option<&'a str>,
    content: &'a str,
    origin: &Origin,
) -> Result<impl Iterator<Item = Chunk> + use<'a>> {
    let strategy = strategy_named(&base.settings.chunk_strategy)?
        .unwrap_or_else(|| chunk::detect(origin.mime_type, origin.source_key, origin.source_type));
    let tokenizer = || Ok(model.tokenizer());
    let cutting = Cutting::new(
        base.settings.chunk_size,
        base.settings.chunk_overlap,
        &base.settings.chunk_unit,
        tokenizer,
        model.name(),
    )?;
    let chunker = Chunker::new(content, &cutting.settings(strategy)?).checking_interrupts(take_interrupts);
    let chunker = match model.tokenizer() {
        Some(tokenizer) => {
            let room = room(model, title);
            chunker.within(TokenLimit {
                tokenizer: Box::new(tokenizer),
                budget: Box::new(room),
                window: cutting.window,
            })
        }
        None => chunker,
    };
    let mut local = None;
    let chunker = chunker.topics(|sentences| match (model, &local) {
        // A writer does not wait for a network, and the places where a text is cut must not depend on one.
        (Model::Elsewhere(_), None) => {
            embed_sentences(local.insert(model::resolve(model::DEFAULT)?), sentences)
        }
        (Model::Elsewhere(_), Some(local)) => embed_sentences(local, sentences),
        _ => embed_sentences(model, sentences),
    })?;
    Ok(chunker.chunks())
}

/// The chunks of a text outside of any base. Tokens and sentences are those of the default model, which is not looked up
/// unless the settings need it. `auto` knows neither a MIME type nor a name, so it means text.
pub fn text_chunks<'a>(
    content: &'a str,
    size: i32,
    overlap: i32,
    unit: &str,
    strategy: &str,
) -> Result<impl Iterator<Item = Chunk> + use<'a>> {
    let strategy = strategy_named(strategy)?.unwrap_or(Strategy::Text);
    let tokenizer = || Ok(model::resolve(model::DEFAULT)?.tokenizer());
    let cutting = Cutting::new(size, overlap, unit, tokenizer, model::DEFAULT)?;
    let settings = cutting.settings(strategy)?;
    let mut chunker = Chunker::new(content, &settings).checking_interrupts(take_interrupts);
    if let Some(tokenizer) = cutting.tokenizer {
        let limit = TokenLimit {
            tokenizer: Box::new(tokenizer),
            budget: Box::new(|_| usize::MAX),
            window: cutting.window,
        };
        chunker = chunker.within(limit);
    }
    let mut model = None;
    let chunker = chunker.topics(|sentences| {
        let model = match &model {
            Some(model) => model,
            None => model.insert(model::resolve(model::DEFAULT)?),
        };
        embed_sentences(model, sentences)
    })?;
    Ok(chunker.chunks())
}

fn embed_sentences(model: &Model, sentences: &str) -> Result<Vec<f32>> {
    model.embed(sentences, model.dimensions(None)?, InputType::Document)
}

/// The token budget for the text of a chunk after title and heading. The value for the last heading is kept: it is usually
/// asked for many times in a row.
fn room<'a>(model: &'a Model, title: Option<&'a str>) -> impl Fn(Option<&str>) -> usize + 'a {
    let left = move |heading: Option<&str>| prefix::room_after(model, title, heading);
    let without = left(None);
    let last = RefCell::new((String::new(), without));
    move |heading| {
        let Some(heading) = heading else { return without };
        let mut last = last.borrow_mut();
        if last.0 != heading {
            *last = (heading.to_string(), left(Some(heading)));
        }
        last.1
    }
}

/// Size and overlap, checked.
struct Cutting {
    /// In characters.
    size: usize,
    overlap: usize,
    /// In tokens, if that is the unit, and the tokenizer that counts them.
    window: Option<TokenWindow>,
    tokenizer: Option<ModelTokenizer>,
}

impl Cutting {
    /// `tokenizer` is called for the unit token only; `model` is named in errors.
    fn new(
        size: i32,
        overlap: i32,
        unit: &str,
        tokenizer: impl FnOnce() -> Result<Option<ModelTokenizer>>,
        model: &str,
    ) -> Result<Cutting> {
        let tokenizer = match unit {
            "char" => None,
            "token" => Some(tokenizer()?.ok_or_else(|| {
                Error::invalid(format!("the tokens of model \"{model}\" cannot be counted"))
                    .hint("Count characters (chunk_unit => 'char'), or use a local model.")
            })?),
            _ => return Err(unknown_unit(unit)),
        };
        let (most, range) = match &tokenizer {
            Some(tokenizer) => {
                let most = tokenizer.room() as i32;
                let example = "for example chunk_size => 200, chunk_overlap => 40";
                (most, format!("Use 1 to {most} tokens, {example}; model \"{model}\" reads no more."))
            }
            None => (MAX_CHUNK_SIZE, format!("Use 1 to {MAX_CHUNK_SIZE} characters.")),
        };
        if !(1..=most).contains(&size) {
            return Err(Error::invalid(format!("chunk_size {size} is out of range")).hint(range));
        }
        if overlap < 0 {
            return Err(Error::invalid(format!("chunk_overlap {overlap} must not be negative")));
        }
        if overlap >= size {
            let (size_hint, overlap_hint) = if tokenizer.is_some() { (200, 40) } else { (500, 100) };
            return Err(Error::invalid(format!(
                "chunk_overlap {overlap} must be smaller than chunk_size {size}"
            ))
            .hint(format!(
                "Set both, for example chunk_size => {size_hint}, chunk_overlap => {overlap_hint}."
            )));
        }
        let (size, overlap) = (size as usize, overlap as usize);
        Ok(match tokenizer {
            None => Cutting { size, overlap, window: None, tokenizer },
            Some(_) => Cutting {
                size: size * CHARACTERS_PER_TOKEN,
                overlap: overlap * CHARACTERS_PER_TOKEN,
                window: Some(TokenWindow { size, overlap }),
                tokenizer,
            },
        })
    }

    fn settings(&self, strategy: Strategy) -> Result<Settings> {
        Settings::new(self.size, self.overlap, strategy).map_err(|e| Error::invalid(e.to_string()))
    }
}

fn unknown_unit(unit: &str) -> Error {
    Error::invalid(format!("unrecognized chunk unit \"{unit}\"")).hint("Valid values are char, token.")
}

/// The strategy of this name; None for `auto`.
fn strategy_named(name: &str) -> Result<Option<Strategy>> {
    if name == "auto" {
        return Ok(None);
    }
    Strategy::from_name(name).map(Some).ok_or_else(|| {
        let names = Strategy::ALL.map(Strategy::name).join(", ");
        Error::invalid(format!("unrecognized chunk strategy \"{name}\""))
            .hint(format!("Valid values are auto, {names}."))
    })
}

/// How many tokens the model counts in a text. None where its tokenizer is not known.
pub fn count_tokens(model: &Model, text: &str) -> Option<i32> {
    model.tokenizer().and_then(|tokenizer| i32::try_from(tokenizer.count(text)).ok())
}
