//! Tokens of a local model, as the chunker counts them.

use std::rc::Rc;

use kb_rag_core::chunk::Tokenizer;
use kb_rag_core::legibility::{ILLEGIBLE, tokens_per_character};
use kb_rag_encoder::{Encoder, InputType, Reading};

/// The tokenizer of a model.
pub struct ModelTokenizer(Rc<Encoder>);

/// The two tokens that the encoder adds around a text and counts.
const AROUND: usize = 2;

impl ModelTokenizer {
    pub fn new(encoder: Rc<Encoder>) -> ModelTokenizer {
        ModelTokenizer(encoder)
    }

    /// How many tokens of a document the model reads.
    pub fn room(&self) -> usize {
        self.0.room(InputType::Document)
    }

    /// Whether the model reads the language of a text. Only words with characters outside ASCII tell: names, codes and addresses
    /// in Latin script are cut into as many tokens as words of an unknown language, but are of none.
    pub fn reads(&self, text: &str) -> bool {
        if text.is_ascii() {
            return true;
        }
        let (tokens, characters) = self.0.tokens_beyond_ascii(text);
        tokens_per_character(tokens, characters).is_none_or(|tokens| tokens < ILLEGIBLE)
    }

    /// How well the model's vocabulary fits a text.
    pub fn reading(&self, text: &str) -> Reading {
        self.0.reading(text)
    }
}

impl Tokenizer for ModelTokenizer {
    fn count(&self, text: &str) -> usize {
        self.0.count_tokens(text).saturating_sub(AROUND)
    }

    fn max_tokens_for(&self, bytes: usize) -> usize {
        self.0.max_tokens_for(bytes)
    }

    fn prefix(&self, text: &str, max: usize) -> usize {
        self.0.longest_prefix(text, max)
    }

    fn divisible_prefix(&self, text: &str, max: usize) -> usize {
        self.0.divisible_prefix(text, max)
    }

    fn suffix(&self, text: &str, max: usize) -> usize {
        self.0.longest_suffix(text, max)
    }
}
