//! `tokenizer.safetensors`: the pieces of a unigram model as a double-array trie, their scores, and what replaces single
//! characters before.

use std::collections::BTreeMap;
use std::path::Path;

use yada::DoubleArray;
use yada::builder::DoubleArrayBuilder;

use super::normalizer::Normalizer;
use super::{UNKNOWN_PENALTY, Unigram, WORD_BYTES};
use crate::error::Error;
use crate::mapped::MappedFile;
use crate::tensor_file::{Section, TensorFile};

/// The file within the model's directory.
pub(crate) const FILE: &str = "tokenizer.safetensors";

const FORMAT_KEY: &str = "kb_rag.format";
/// Must be incremented if the same tokenizer is to give a different file.
const FORMAT: &str = "unigram 1";
const BEGIN: &str = "begin";
const END: &str = "end";
const UNKNOWN: &str = "unknown";
const LONGEST: &str = "longest";

const TRIE: &str = "pieces.trie";
const SCORES: &str = "pieces.scores";
const CHARACTERS: &str = "normalizer.characters";
const ENDS: &str = "normalizer.ends";
const REPLACEMENTS: &str = "normalizer.replacements";

impl Unigram {
    /// Opens the file and checks it; every id is less than `vocabulary`.
    pub(crate) fn open(path: &Path, vocabulary: usize) -> Result<Unigram, Error> {
        let file = MappedFile::open(path.to_owned())?;
        let note = |key: &str| file.notes().and_then(|notes| notes.get(key)).map(String::as_str);
        if note(FORMAT_KEY) != Some(FORMAT) {
            return Err(Error::invalid(
                path,
                format!("{FORMAT_KEY} is {:?}, not {FORMAT:?}; convert the model again", note(FORMAT_KEY)),
            ));
        }
        let number = |key: &str, limit: usize| {
            let number = note(key).and_then(|value| value.parse().ok()).filter(|&number| number < limit);
            number.ok_or_else(|| Error::invalid(path, format!("{key} is {:?}, not below {limit}", note(key))))
        };
        let scores = file.list::<f32>(SCORES)?;
        if scores.len() > vocabulary {
            return Err(Error::invalid(
                path,
                format!("has {} pieces, config.json's vocab_size is {vocabulary}", scores.len()),
            ));
        }
        let least = scores.iter().fold(0.0, |least: f32, &score| least.min(score));
        if !least.is_finite() || scores.iter().any(|score| score.is_nan()) {
            return Err(Error::invalid(path, format!("tensor {SCORES} has numbers that are not finite")));
        }
        let trie = file.list::<u8>(TRIE)?;
        // yada 0.7 follows the first unit of a trie without having checked it, if it is marked as a leaf.
        if trie.get(3).is_some_and(|byte| byte & 0x80 != 0) {
            return Err(Error::invalid(path, format!("tensor {TRIE} is not a trie: its root is a leaf")));
        }
        let pieces = DoubleArray::new(trie)
            .map_err(|error| Error::invalid(path, format!("tensor {TRIE} is not a trie: {error}")))?;
        let normalizer = Normalizer::new(file.list(CHARACTERS)?, file.list(ENDS)?, file.list(REPLACEMENTS)?)
            .ok_or_else(|| Error::invalid(path, "the replacements of characters contradict each other"))?;
        let id = |key| number(key, vocabulary).map(|id: usize| id as u32);
        Ok(Unigram {
            normalizer,
            pieces,
            scores,
            longest: number(LONGEST, WORD_BYTES)?,
            unknown_score: least - UNKNOWN_PENALTY,
            begin: id(BEGIN)?,
            end: id(END)?,
            unknown: id(UNKNOWN)?,
        })
    }
}

/// A piece of the vocabulary; its place in the list is its id.
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) score: f32,
    /// Whether it is never found in a text, such as the token that begins each text.
    pub(crate) is_control: bool,
}

/// What the file is made from.
pub(crate) struct TokenizerFile {
    pub(crate) pieces: Vec<Piece>,
    /// What replaces characters.
    pub(crate) replacements: BTreeMap<char, String>,
    pub(crate) begin: u32,
    pub(crate) end: u32,
    pub(crate) unknown: u32,
}

impl TokenizerFile {
    /// The contents of `tokenizer.safetensors`; the same tokenizer gives the same bytes. `path` is named in errors.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if pieces are empty or the same, or too long.
    pub(crate) fn into_bytes(self, path: &Path) -> Result<Vec<u8>, Error> {
        let mut keys: Vec<(&[u8], u32)> = (0..)
            .zip(&self.pieces)
            .filter(|(_, piece)| !piece.is_control)
            .map(|(id, piece)| (piece.text.as_bytes(), id))
            .collect();
        keys.sort_unstable();
        let trie = DoubleArrayBuilder::build(&keys)
            .map_err(|error| Error::invalid(path, format!("the pieces do not form a trie: {error}")))?;
        let longest = keys.iter().map(|(text, _)| text.len()).max().unwrap_or(0);
        if longest >= WORD_BYTES {
            return Err(Error::invalid(path, format!("a piece has {longest} bytes, not below {WORD_BYTES}")));
        }
        let mut file = TensorFile::default();
        let mut put = |section, name: &str, bytes: Vec<u8>, size: usize| {
            file.put(section, name, &[bytes.len() / size], bytes);
        };
        put(Section::Panels, TRIE, trie, 1);
        let scores = self.pieces.iter().flat_map(|piece| piece.score.to_le_bytes());
        put(Section::Floats, SCORES, scores.collect(), size_of::<f32>());
        let (mut characters, mut ends, mut replacements) = (Vec::new(), Vec::new(), Vec::new());
        let mut count = 0_u32;
        for (&character, replacement) in &self.replacements {
            characters.extend(u32::from(character).to_le_bytes());
            for replaced in replacement.chars() {
                replacements.extend(u32::from(replaced).to_le_bytes());
                count += 1;
            }
            ends.extend(count.to_le_bytes());
        }
        put(Section::Integers, CHARACTERS, characters, size_of::<u32>());
        put(Section::Integers, ENDS, ends, size_of::<u32>());
        put(Section::Integers, REPLACEMENTS, replacements, size_of::<u32>());
        let notes = [
            (FORMAT_KEY, FORMAT.to_owned()),
            (BEGIN, self.begin.to_string()),
            (END, self.end.to_string()),
            (UNKNOWN, self.unknown.to_string()),
            (LONGEST, longest.to_string()),
        ];
        Ok(file.into_bytes(BTreeMap::from(notes)))
    }
}
