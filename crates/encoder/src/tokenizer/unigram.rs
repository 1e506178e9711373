//! The tokenizer of SentencePiece's unigram model (Kudo 2018, "Subword Regularization"): the pieces of a text are those
//! with the greatest sum of scores, found with Viterbi's algorithm. It gives the ids of the library sentencepiece with
//! the same pieces and its normalization `nmt_nfkc`.
//!
//! A word begins with a mark, and no piece has that mark inside, so each word is cut by itself. Scripts without spaces
//! have words of any length. Such a word is cut in parts, at places that no piece of the vocabulary extends over, which
//! gives the same pieces as cutting it as a whole.

mod extent;
mod file;
mod lattice;
mod normalizer;

use super::Reading;
use crate::mapped::Tensor;
pub(crate) use file::{FILE, Piece, TokenizerFile};
use lattice::{Cut, Lattice};
use normalizer::Normalizer;
use yada::DoubleArray;

/// Begins each word.
const MARK: char = '\u{2581}';
/// An unknown character's score is so much less than the least of the pieces, as in sentencepiece.
const UNKNOWN_PENALTY: f32 = 10.0;
/// Bytes of a word that are cut at once, at least as many as any piece has; a longer word is cut in parts.
const WORD_BYTES: usize = 2048;

/// The pieces are in the mapped file: processes that open the same file share its memory.
pub(crate) struct Unigram {
    normalizer: Normalizer,
    /// The ids of the pieces.
    pieces: DoubleArray<Tensor<u8>>,
    scores: Tensor,
    /// The length in bytes of the longest piece.
    longest: usize,
    unknown_score: f32,
    begin: u32,
    end: u32,
    unknown: u32,
}

impl Unigram {
    pub(crate) fn encode(&self, text: impl Iterator<Item = char>, max_tokens: usize) -> Vec<u32> {
        let room = max_tokens.saturating_sub(2);
        let mut ids = vec![self.begin];
        self.each_cut(text, |cuts| {
            let missing = (room + 1).saturating_sub(ids.len());
            ids.extend(cuts.iter().filter(|cut| cut.is_token).map(|cut| cut.id).take(missing));
            ids.len() <= room
        });
        ids.push(self.end);
        ids
    }

    pub(crate) fn count(&self, text: &str) -> usize {
        2 + self.count_pieces(text)
    }

    /// The tokens of a text, without those around it.
    fn count_pieces(&self, text: &str) -> usize {
        let mut count = 0;
        self.each_cut(text.chars(), |cuts| {
            count += cuts.iter().filter(|cut| cut.is_token).count();
            true
        });
        count
    }

    pub(crate) fn max_tokens_for(&self, bytes: usize) -> usize {
        bytes.saturating_mul(self.normalizer.expansion()).saturating_add(1)
    }

    pub(crate) fn reading(&self, text: &str) -> Reading {
        let mut reading = Reading::default();
        for word in text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)) {
            reading.characters += word.chars().count();
            self.each_cut(word.chars(), |cuts| {
                let unknown = cuts.iter().filter(|cut| cut.id == self.unknown).count();
                reading.tokens += unknown;
                reading.tokens_beyond_ascii += if word.is_ascii() { 0 } else { unknown };
                true
            });
        }
        reading
    }

    /// Passes the pieces of each word in turn to `take`, those of a long word in parts, until it returns that it wants no
    /// more.
    fn each_cut(&self, text: impl Iterator<Item = char>, mut take: impl FnMut(&[Cut]) -> bool) {
        let mut lattice = Lattice::new(self);
        for character in self.normalizer.apply(text) {
            if character == ' ' {
                if !lattice.is_empty() && !take(lattice.finish()) {
                    return;
                }
                lattice.clear();
                continue;
            }
            lattice.push(character);
            if lattice.is_full() && !take(lattice.advance()) {
                return;
            }
        }
        if !lattice.is_empty() {
            take(lattice.finish());
        }
    }
}
