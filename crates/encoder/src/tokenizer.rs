//! Cuts a text into the tokens of a model's vocabulary.

mod unigram;
mod word_piece;

use std::path::Path;

use crate::config::Config;
use crate::error::Error;
use crate::mapped::MappedFile;
use unigram::Unigram;
pub(crate) use unigram::{FILE as UNIGRAM_FILE, Piece, TokenizerFile};
pub(crate) use word_piece::Vocabulary;
use word_piece::WordPiece;

/// How the vocabulary of a model fits the words of a text: those that have a letter, without accents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Characters of the words.
    pub characters: usize,
    /// Tokens of the words, where an unknown word counts as many as it has characters. English has 0.18 to 0.28 a
    /// character for an English vocabulary, other languages in Latin script 0.35 to 0.5, other scripts 0.85 to 1. In a
    /// unigram vocabulary, which has many languages, only unknown characters count.
    pub tokens: usize,
    /// Tokens of those words that have a character outside ASCII.
    pub tokens_beyond_ascii: usize,
}

pub(crate) enum Tokenizer {
    WordPiece(WordPiece),
    Unigram(Unigram),
}

/// Calls the tokenizer that the model has.
macro_rules! either {
    ($self:ident, $tokenizer:ident => $call:expr) => {
        match $self {
            Tokenizer::WordPiece($tokenizer) => $call,
            Tokenizer::Unigram($tokenizer) => $call,
        }
    };
}

impl Tokenizer {
    /// A unigram tokenizer if the directory has its file, even if that is damaged, otherwise one of `vocab.txt`, which the weights may
    /// have ready.
    pub(crate) fn open(
        directory: &Path,
        weights: &MappedFile,
        config: &Config,
        lowercase: bool,
    ) -> Result<Tokenizer, Error> {
        let path = directory.join(UNIGRAM_FILE);
        match std::fs::symlink_metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let vocabulary = Vocabulary::open(directory, weights, config.vocabulary)?;
                Ok(Tokenizer::WordPiece(WordPiece::new(vocabulary, lowercase)))
            }
            _ => Unigram::open(&path, config.vocabulary).map(Tokenizer::Unigram),
        }
    }

    /// The ids of `text` between the tokens that begin and end every text, truncated so that there are `max_tokens` with
    /// these.
    pub(crate) fn encode(&self, text: impl Iterator<Item = char>, max_tokens: usize) -> Vec<u32> {
        either!(self, tokenizer => tokenizer.encode(text, max_tokens))
    }

    /// The number of ids in the whole text, including the two around it.
    pub(crate) fn count(&self, text: &str) -> usize {
        either!(self, tokenizer => tokenizer.count(text))
    }

    /// The most ids that a text of `bytes` bytes has, without the two around it.
    pub(crate) fn max_tokens_for(&self, bytes: usize) -> usize {
        match self {
            Tokenizer::WordPiece(_) => bytes,
            Tokenizer::Unigram(unigram) => unigram.max_tokens_for(bytes),
        }
    }

    /// How the vocabulary fits the words of a text.
    pub(crate) fn reading(&self, text: &str) -> Reading {
        either!(self, tokenizer => tokenizer.reading(text))
    }

    /// The tokens of words with a character outside ASCII, and the characters of all words, as [`Reading`] counts both.
    pub(crate) fn tokens_beyond_ascii(&self, text: &str) -> (usize, usize) {
        match self {
            Tokenizer::WordPiece(tokenizer) => tokenizer.tokens_beyond_ascii(text),
            Tokenizer::Unigram(tokenizer) => {
                let reading = tokenizer.reading(text);
                (reading.tokens_beyond_ascii, reading.characters)
            }
        }
    }

    /// The length in bytes of the longest prefix of `text` that has at most `max` tokens and ends where no token is cut.
    /// If there is none, that of [`divisible_prefix`](Tokenizer::divisible_prefix).
    pub(crate) fn prefix(&self, text: &str, max: usize) -> usize {
        either!(self, tokenizer => tokenizer.prefix(text, max))
    }

    /// The length in bytes of a prefix of `text` of which no part has more than `max` tokens; at least one
    /// character.
    pub(crate) fn divisible_prefix(&self, text: &str, max: usize) -> usize {
        either!(self, tokenizer => tokenizer.divisible_prefix(text, max))
    }

    /// The first byte, where no token is cut, from which the rest of `text` has at most `max` tokens.
    pub(crate) fn suffix(&self, text: &str, max: usize) -> usize {
        either!(self, tokenizer => tokenizer.suffix(text, max))
    }
}
