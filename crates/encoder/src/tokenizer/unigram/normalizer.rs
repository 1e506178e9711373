//! SentencePiece's normalization, as far as it concerns one character, after Unicode's composition (NFC).
//!
//! Its table `nmt_nfkc` also has the sequences of characters that NFC composes. Composing first leaves only single
//! characters to look up, so that a text can be read as a stream.

use unicode_normalization::UnicodeNormalization;

use super::MARK;
use crate::mapped::Tensor;

/// Unicode's process for texts with long runs of accents puts this between them.
const JOINER: char = '\u{34f}';

/// What replaces characters, sorted by character.
pub(super) struct Normalizer {
    characters: Tensor<u32>,
    /// Where the replacement of each character ends.
    ends: Tensor<u32>,
    replacements: Tensor<u32>,
    expansion: usize,
}

impl Normalizer {
    /// None unless the characters are sorted, none is an ASCII character that can be printed, and each has a replacement
    /// of characters.
    pub(super) fn new(
        characters: Tensor<u32>,
        ends: Tensor<u32>,
        replacements: Tensor<u32>,
    ) -> Option<Normalizer> {
        let is_sorted = characters.is_sorted_by(|a, b| a < b) && ends.is_sorted();
        let is_whole = characters.len() == ends.len()
            && ends.last().map_or(0, |&end| end as usize) == replacements.len()
            && characters.iter().chain(&*replacements).all(|&code| char::from_u32(code).is_some());
        let has_ascii = characters.iter().any(|code| (0x20..0x7f).contains(code));
        if !is_sorted || !is_whole || has_ascii {
            return None;
        }
        let mut normalizer = Normalizer { characters, ends, replacements, expansion: 1 };
        let expansions = normalizer.characters.iter().enumerate().map(|(place, &code)| {
            let bytes = char::from_u32(code).map_or(1, char::len_utf8);
            normalizer.replacement(place).len().div_ceil(bytes)
        });
        normalizer.expansion = expansions.max().unwrap_or(1).max(1);
        Some(normalizer)
    }

    /// The most characters that one byte of a text becomes.
    pub(super) fn expansion(&self) -> usize {
        self.expansion
    }

    /// A normalized text, whose words have one or more spaces between them.
    pub(super) fn apply(&self, text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
        text.stream_safe().nfc().flat_map(|character| self.normalized(character))
    }

    /// What a character becomes; white space and the mark of words become a space.
    pub(super) fn normalized(&self, character: char) -> impl Iterator<Item = char> {
        let (this, replaced): (_, &[u32]) = match character {
            ' '..='~' => (Some(character), &[]),
            JOINER => (None, &[]),
            MARK => (Some(' '), &[]),
            character if is_space(character) => (Some(' '), &[]),
            character => match self.characters.binary_search(&u32::from(character)) {
                Ok(place) => (None, self.replacement(place)),
                Err(_) => (Some(character), &[]),
            },
        };
        this.into_iter().chain(replaced.iter().filter_map(|&code| char::from_u32(code)))
    }

    fn replacement(&self, place: usize) -> &[u32] {
        let start =
            place.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        let end = self.ends.get(place).map_or(0, |&end| end as usize);
        self.replacements.get(start..end).unwrap_or_default()
    }
}

/// Whether the character separates words, whatever the table says.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() && (!character.is_control() || matches!(character, '\t' | '\n' | '\r'))
}
