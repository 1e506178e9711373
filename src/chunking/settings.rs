//! The settings by which texts are cut into chunks.

use kb_rag_core::chunk::{self, Strategy, TokenWindow};
use kb_rag_core::model_name::ModelName;

use super::Origin;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::model::{Model, ModelTokenizer};

/// The largest chunk size, in characters.
const MAX_CHUNK_SIZE: i32 = 1_000_000;

/// A chunk counted in tokens has at most this many characters per token: to a model of the BERT family a longer word is one
/// unknown token, and white space is none.
const CHARACTERS_PER_TOKEN: usize = 100;

/// The most tokens of a chunk where they are estimated: models of providers do not say how many they read.
const MAX_ESTIMATED: i32 = 10_000;

/// The unit of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Characters.
    Char,
    /// Tokens of the model; estimated for one of a provider.
    Token,
}

impl Choice for Unit {
    const WHAT: &'static str = "chunk unit";
    const ALL: &'static [Unit] = &[Unit::Char, Unit::Token];

    fn name(self) -> &'static str {
        match self {
            Unit::Char => "char",
            Unit::Token => "token",
        }
    }
}

/// How a text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// By the strategy that suits the text.
    Auto,
    /// Always by this strategy.
    By(Strategy),
}

impl Cut {
    /// The strategy for a document.
    pub fn of_document(self, origin: &Origin, content: &str) -> Strategy {
        match self {
            Cut::Auto => chunk::detect_with(origin.mime_type, origin.source_key, origin.source_type, content),
            Cut::By(strategy) => strategy,
        }
    }

    /// The strategy for a text of which nothing is known.
    pub fn of_text(self) -> Strategy {
        match self {
            Cut::Auto => Strategy::Text,
            Cut::By(strategy) => strategy,
        }
    }
}

impl Choice for Cut {
    const WHAT: &'static str = "chunk strategy";
    const ALL: &'static [Cut] = &[
        Cut::Auto,
        Cut::By(Strategy::Text),
        Cut::By(Strategy::Markdown),
        Cut::By(Strategy::Code),
        Cut::By(Strategy::Csv),
        Cut::By(Strategy::Semantic),
        Cut::By(Strategy::None),
    ];

    fn name(self) -> &'static str {
        match self {
            Cut::Auto => "auto",
            Cut::By(strategy) => strategy.name(),
        }
    }
}

/// How texts are cut into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSettings {
    pub size: i32,
    pub overlap: i32,
    pub unit: Unit,
    pub strategy: Cut,
}

impl Default for ChunkSettings {
    fn default() -> ChunkSettings {
        ChunkSettings { size: 1000, overlap: 200, unit: Unit::Char, strategy: Cut::Auto }
    }
}

impl ChunkSettings {
    /// The default settings for a text of which nothing is known.
    pub fn of_text() -> ChunkSettings {
        let settings = ChunkSettings::default();
        ChunkSettings { strategy: Cut::By(settings.strategy.of_text()), ..settings }
    }

    /// 22023 unless these settings can be used with the model.
    pub fn check(&self, model: &Model) -> Result<()> {
        Limits::new(self, || Ok(model.tokenizer()), model.name()).map(drop)
    }

    /// Whether the tokens of this model are estimated.
    pub fn are_estimated_for(&self, model: &ModelName) -> bool {
        self.unit == Unit::Token && model.is_remote()
    }

    /// 22023 for settings that cannot be used with any model.
    pub fn check_stored(&self) -> Result<()> {
        let ChunkSettings { size, overlap, .. } = *self;
        match self.unit {
            Unit::Char => Limits::new(self, || Ok(None), &ModelName::default()).map(drop),
            Unit::Token if size >= 1 && (0..size).contains(&overlap) => Ok(()),
            Unit::Token => {
                Err(Error::invalid(format!("chunk_size {size} with chunk_overlap {overlap} is out of range")))
            }
        }
    }
}

/// Size and overlap, checked.
pub struct Limits {
    /// In characters.
    size: usize,
    overlap: usize,
    /// In tokens, if that is the unit, and the tokenizer that counts them; without one they are estimated.
    pub window: Option<TokenWindow>,
    pub tokenizer: Option<ModelTokenizer>,
}

impl Limits {
    /// `tokenizer` is called for the unit token only; `model` is named in errors.
    pub fn new(
        settings: &ChunkSettings,
        tokenizer: impl FnOnce() -> Result<Option<ModelTokenizer>>,
        model: &ModelName,
    ) -> Result<Limits> {
        let tokenizer = match settings.unit {
            Unit::Char => None,
            Unit::Token => tokenizer()?,
        };
        match (&tokenizer, settings.unit) {
            (Some(tokenizer), _) => Range::of_tokens(tokenizer.room() as i32, model),
            (None, Unit::Token) if model.is_remote() => Range::of_estimated_tokens(),
            (None, Unit::Token) => {
                return Err(Error::invalid(format!("the tokens of model \"{model}\" cannot be counted"))
                    .hint("Count characters (chunk_unit => 'char'), or use another model."));
            }
            (None, Unit::Char) => Range::of_characters(),
        }
        .check(settings.size, settings.overlap)?;
        let (size, overlap) = (settings.size as usize, settings.overlap as usize);
        let (characters, window) = match settings.unit {
            Unit::Char => (1, None),
            Unit::Token => (CHARACTERS_PER_TOKEN, Some(TokenWindow { size, overlap })),
        };
        Ok(Limits { size: size * characters, overlap: overlap * characters, window, tokenizer })
    }

    /// The settings for the chunker.
    pub fn with(&self, strategy: Strategy) -> Result<chunk::Settings> {
        chunk::Settings::new(self.size, self.overlap, strategy).map_err(|e| Error::invalid(e.to_string()))
    }
}

/// The sizes that are possible in a unit.
struct Range {
    max: i32,
    hint: String,
    /// A size, and an overlap that goes with it.
    example: (i32, i32),
}

impl Range {
    fn of_characters() -> Range {
        let hint = format!("Use 1 to {MAX_CHUNK_SIZE} characters.");
        Range { max: MAX_CHUNK_SIZE, hint, example: (500, 100) }
    }

    fn of_tokens(max: i32, model: &ModelName) -> Range {
        let example = "for example chunk_size => 200, chunk_overlap => 40";
        let hint = format!("Use 1 to {max} tokens, {example}; model \"{model}\" reads no more.");
        Range { max, hint, example: (200, 40) }
    }

    fn of_estimated_tokens() -> Range {
        let hint =
            format!("Use 1 to {MAX_ESTIMATED} tokens, for example chunk_size => 200, chunk_overlap => 40.");
        Range { max: MAX_ESTIMATED, hint, example: (200, 40) }
    }

    fn check(self, size: i32, overlap: i32) -> Result<()> {
        if !(1..=self.max).contains(&size) {
            return Err(Error::invalid(format!("chunk_size {size} is out of range")).hint(self.hint));
        }
        if overlap < 0 {
            return Err(Error::invalid(format!("chunk_overlap {overlap} must not be negative")));
        }
        if overlap >= size {
            let what = format!("chunk_overlap {overlap} must be smaller than chunk_size {size}");
            let (size, overlap) = self.example;
            return Err(Error::invalid(what)
                .hint(format!("Set both, for example chunk_size => {size}, chunk_overlap => {overlap}.")));
        }
        Ok(())
    }
}
