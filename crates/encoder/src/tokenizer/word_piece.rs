//! BERT's tokenizer: it normalizes the text, splits it into words and punctuation, and cuts each word into
//! the longest pieces in the vocabulary (WordPiece). It gives the same ids as Hugging Face's BertNormalizer,
//! BertPreTokenizer and WordPiece, except that "[CLS]" written in a text is treated as text.
//!
//! Everything streams: no step holds more than one word of the text, and reading stops at the last token that
//! is wanted.

use std::sync::Mutex;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::Reading;

mod extent;
mod vocabulary;
mod words;

use vocabulary::Place;
pub(crate) use vocabulary::Vocabulary;
use words::Words;

/// A word of more characters than this is unknown as a whole.
const MAX_WORD_CHARACTERS: usize = 100;

pub(crate) struct WordPiece {
    vocabulary: Vocabulary,
    lowercase: bool,
    words: Mutex<Words>,
}

impl WordPiece {
    pub(crate) fn new(vocabulary: Vocabulary, lowercase: bool) -> WordPiece {
        WordPiece { vocabulary, lowercase, words: Mutex::new(Words::new()) }
    }

    /// The ids of `text` between [CLS] and [SEP], truncated so that there are `max_tokens` with these.
    pub(crate) fn encode(&self, text: impl Iterator<Item = char>, max_tokens: usize) -> Vec<u32> {
        let room = max_tokens.saturating_sub(2);
        let mut ids = vec![self.vocabulary.cls];
        self.each_word(text, |_, pieces| {
            let missing = (room + 1).saturating_sub(ids.len());
            ids.extend(pieces.iter().take(missing));
            ids.len() <= room
        });
        ids.push(self.vocabulary.sep);
        ids
    }

    /// The number of ids in the whole text, including [CLS] and [SEP].
    pub(crate) fn count(&self, text: &str) -> usize {
        2 + self.count_parts(text)
    }

    /// The number of ids in the whole text without [CLS] and [SEP], read character by character.
    fn count_words(&self, text: &str) -> usize {
        let mut count = 0;
        self.each_word(text.chars(), |_, pieces| {
            count += pieces.len();
            true
        });
        count
    }

    /// How the vocabulary fits the words of a text.
    pub(crate) fn reading(&self, text: &str) -> Reading {
        let mut reading = Reading::default();
        self.each_word(text.chars(), |word, pieces| {
            if word.has_letter {
                // An unknown word is one token, however long: it is as bad as a token a character.
                let tokens = if pieces == [self.vocabulary.unk] { word.characters } else { pieces.len() };
                reading.characters += word.characters;
                reading.tokens += tokens;
                reading.tokens_beyond_ascii += if word.is_ascii { 0 } else { tokens };
            }
            true
        });
        reading
    }

    /// Passes each word with its ids in turn to `take`, until it returns that it wants no more.
    fn each_word(&self, text: impl Iterator<Item = char>, mut take: impl FnMut(&Word, &[u32]) -> bool) {
        if self.lowercase {
            // A run of thousands of accents would have to be sorted as one. Stream-safe text breaks such runs
            // with a mark that is itself dropped here.
            let unaccented = clean(text).stream_safe().nfd().filter(|&c| !is_accent(c));
            self.split(unaccented.flat_map(char::to_lowercase), &mut take);
        } else {
            self.split(clean(text), &mut take);
        }
    }

    fn split(&self, text: impl Iterator<Item = char>, take: &mut impl FnMut(&Word, &[u32]) -> bool) {
        let mut word = Word::default();
        let mut pieces = Vec::new();
        let mut flush = |word: &mut Word, pieces: &mut Vec<u32>| {
            if word.characters == 0 {
                return true;
            }
            self.cut(word, pieces);
            let wants_more = take(word, pieces);
            word.clear();
            wants_more
        };
        for character in text {
            let separate = is_punctuation(character);
            if (separate || character.is_whitespace()) && !flush(&mut word, &mut pieces) {
                return;
            }
            if !character.is_whitespace() {
                word.push(character);
            }
            if separate && !flush(&mut word, &mut pieces) {
                return;
            }
        }
        flush(&mut word, &mut pieces);
    }

    /// Cuts a word into the longest pieces from its start on. If one part has no piece, the whole word is
    /// unknown.
    fn cut(&self, word: &Word, pieces: &mut Vec<u32>) {
        pieces.clear();
        if word.characters > MAX_WORD_CHARACTERS {
            pieces.push(self.vocabulary.unk);
            return;
        }
        let text = word.text.as_str();
        let mut start = 0;
        while start < text.len() {
            let Some((id, end)) = self.piece(text, start) else {
                pieces.clear();
                pieces.push(self.vocabulary.unk);
                return;
            };
            pieces.push(id);
            start = end;
        }
    }

    /// The longest piece of a word from byte `start` on, and where it ends.
    fn piece(&self, word: &str, start: usize) -> Option<(u32, usize)> {
        let place = if start == 0 { Place::Start } else { Place::Inside };
        let longest = start.saturating_add(self.vocabulary.longest()).min(word.len());
        (start + 1..=longest).rev().filter(|&end| word.is_char_boundary(end)).find_map(|end| {
            let piece = word.as_bytes().get(start..end)?;
            self.vocabulary.find(place, piece).map(|id| (id, end))
        })
    }
}

/// The word being read. For a word too long to be known, only the length matters.
struct Word {
    text: String,
    characters: usize,
    has_letter: bool,
    is_ascii: bool,
}

impl Default for Word {
    fn default() -> Word {
        Word { text: String::new(), characters: 0, has_letter: false, is_ascii: true }
    }
}

impl Word {
    fn push(&mut self, character: char) {
        self.characters += 1;
        self.has_letter |= character.is_alphabetic();
        self.is_ascii &= character.is_ascii();
        if self.characters <= MAX_WORD_CHARACTERS {
            self.text.push(character);
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        (self.characters, self.has_letter, self.is_ascii) = (0, false, true);
    }
}

/// Drops control characters, replaces all white space by spaces and separates ideographs as words.
fn clean(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    text.filter(|&c| !is_dropped(c)).flat_map(|c| {
        let (before, c, after) = match c {
            c if c.is_whitespace() => (None, ' ', None),
            c if is_ideograph(c) => (Some(' '), c, Some(' ')),
            c => (None, c, None),
        };
        before.into_iter().chain([c]).chain(after)
    })
}

fn is_dropped(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        ' '..='~' => false,
        '\u{fffd}' => true,
        // Unassigned characters are kept: Unicode may assign them later.
        c => matches!(
            c.general_category(),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        ),
    }
}

fn is_accent(c: char) -> bool {
    !c.is_ascii() && c.general_category() == GeneralCategory::NonspacingMark
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_punctuation()
    } else {
        c.general_category_group() == GeneralCategoryGroup::Punctuation
    }
}

/// The blocks read character by character: Hugging Face's list, in which extension E starts 256 too late.
fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{4e00}'..='\u{9fff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{20000}'..='\u{2a6df}'
            | '\u{2a700}'..='\u{2b73f}'
            | '\u{2b740}'..='\u{2b81f}'
            | '\u{2b920}'..='\u{2ceaf}'
            | '\u{f900}'..='\u{faff}'
            | '\u{2f800}'..='\u{2fa1f}'
    )
}

#[cfg(test)]
mod tests;
