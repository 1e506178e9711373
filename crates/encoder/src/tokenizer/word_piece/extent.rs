//! How far a number of tokens extends into a text.
//!
//! A text cut beside white space, punctuation or an ideograph has as many tokens as its two parts together.
//! So a text is read word by word, each word once. Inside a word this does not hold: its parts may have more
//! tokens.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

use super::words::Words;
use super::{MAX_WORD_CHARACTERS, WordPiece, clean, is_accent, is_dropped, is_ideograph, is_punctuation};

impl WordPiece {
    /// The length in bytes of the longest prefix of `text` that has at most `max` tokens and ends between
    /// words. If the first word alone has more, that of [`divisible_prefix`](WordPiece::divisible_prefix).
    pub(crate) fn prefix(&self, text: &str, max: usize) -> usize {
        // Another thread may count too.
        let mut words = self.words.try_lock().ok();
        let (mut count, mut end) = (0, 0);
        while let Some((length, tokens)) = self.first_part(&text[end..], words.as_deref_mut()) {
            if count + tokens > max {
                return if count == 0 { end.max(self.divisible_prefix(text, max)) } else { end };
            }
            count += tokens;
            end += length;
        }
        end
    }

    /// The length in bytes of a prefix of `text` of which no part has more than `max` tokens; at least one
    /// character.
    pub(crate) fn divisible_prefix(&self, text: &str, max: usize) -> usize {
        let mut count = 0;
        let past = text.char_indices().find(|&(at, character)| {
            count += self.max_tokens_for(character);
            at > 0 && count > max
        });
        past.map_or(text.len(), |(at, _)| at)
    }

    /// The first byte, between words, from which the rest of `text` has at most `max` tokens.
    pub(crate) fn suffix(&self, text: &str, max: usize) -> usize {
        let (mut count, mut start, mut rest) = (0, text.len(), text);
        while let Some((at, character)) =
            rest.char_indices().rev().find(|&(_, character)| self.stands_alone(character))
        {
            let after = at + character.len_utf8();
            for (from, part) in [(after, &rest[after..]), (at, &rest[at..after])] {
                let tokens = self.count_pieces(part);
                count += tokens;
                if count > max {
                    return start;
                }
                if tokens > 0 {
                    start = from;
                }
            }
            rest = &rest[..at];
        }
        let tokens = self.count_pieces(rest);
        if tokens > 0 && count + tokens <= max { 0 } else { start }
    }

    /// The number of tokens in the whole text.
    pub(super) fn count_parts(&self, text: &str) -> usize {
        let mut words = self.words.try_lock().ok();
        let (mut count, mut rest) = (0, text);
        while let Some((length, tokens)) = self.first_part(rest, words.as_deref_mut()) {
            count += tokens;
            rest = &rest[length..];
        }
        count
    }

    /// The length of the first part of a text, and how many tokens it has. Words of ASCII letters and digits, which are most of a text in
    /// Latin script, need neither a look at each character nor a Unicode table.
    fn first_part(&self, text: &str, words: Option<&mut Words>) -> Option<(usize, usize)> {
        let plain = plain_word(text);
        if plain > 0 {
            return Some((plain, counted(&text[..plain], words, |word| self.count_plain(word))));
        }
        if ends_word(*text.as_bytes().first()?) {
            return Some((1, self.count_pieces(&text[..1])));
        }
        let part = self.parts(text).next()?;
        Some((part.len(), counted(&text[part], words, |part| self.count_pieces(part))))
    }

    /// The tokens of words with a character outside ASCII, and the characters of all words, as a
    /// [`Reading`](crate::Reading) counts both. Looks up no other word.
    pub(crate) fn tokens_beyond_ascii(&self, text: &str) -> (usize, usize) {
        let (mut tokens, mut characters, mut rest) = (0, 0, text);
        while !rest.is_empty() {
            let plain = plain_word(rest);
            let length = match plain {
                0 => self.parts(rest).next().map_or(rest.len(), |part| part.len()),
                _ => plain,
            };
            let (part, after) = rest.split_at(length);
            if plain == 0 {
                let reading = self.reading(part);
                tokens += reading.tokens_beyond_ascii;
                characters += reading.characters;
            } else if part.bytes().any(|byte| byte.is_ascii_alphabetic()) {
                characters += length;
            }
            rest = after;
        }
        (tokens, characters)
    }

    /// Words, and the characters that stand alone between them, including white space: all of the text.
    pub(super) fn parts<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let mut alone = rest.char_indices().filter(|&(_, character)| self.stands_alone(character));
            let length = match alone.next() {
                Some((0, character)) => character.len_utf8(),
                Some((start, _)) => start,
                None => rest.len(),
            };
            at += length;
            Some(at - length..at)
        })
    }

    fn count_pieces(&self, part: &str) -> usize {
        match part.as_bytes() {
            [] | [b' ' | b'\t' | b'\n' | b'\r'] => 0,
            [byte] if byte.is_ascii_punctuation() => 1,
            word if word.iter().all(u8::is_ascii_graphic) => self.count_plain(part),
            _ => self.count_words(part),
        }
    }

    /// The tokens of a word of ASCII letters and digits, which needs no Unicode table.
    fn count_plain(&self, word: &str) -> usize {
        let mut lowered = [0; MAX_WORD_CHARACTERS];
        let Some(lowered) = lowered.get_mut(..word.len()) else { return 1 };
        lowered.copy_from_slice(word.as_bytes());
        if self.lowercase {
            lowered.make_ascii_lowercase();
        }
        let word = str::from_utf8(lowered).unwrap_or(word);
        let (mut count, mut start) = (0, 0);
        while start < word.len() {
            let Some((_, end)) = self.piece(word, start) else { return 1 };
            (count, start) = (count + 1, end);
        }
        count
    }

    /// Whether the character ends the word before it, and the next word begins after it.
    pub(super) fn stands_alone(&self, character: char) -> bool {
        if character.is_ascii() {
            return character.is_ascii_punctuation() || matches!(character, ' ' | '\t' | '\n' | '\r');
        }
        if is_dropped(character) {
            return false;
        }
        let mut punctuation = is_punctuation(character);
        if self.lowercase {
            // The sign for "not equal", for example, becomes an equals sign and an accent.
            decompose_canonical(character, |c| punctuation |= is_punctuation(c));
        }
        punctuation || character.is_whitespace() || is_ideograph(character)
    }

    /// The most tokens that the character adds to a text, wherever that is cut: the number of characters it
    /// becomes.
    pub(super) fn max_tokens_for(&self, character: char) -> usize {
        if character.is_ascii_graphic() {
            return 1;
        }
        let cleaned = clean(std::iter::once(character));
        if self.lowercase {
            let plain = cleaned.nfd().filter(|&c| !is_accent(c)).flat_map(char::to_lowercase);
            plain.filter(|c| !c.is_whitespace()).count()
        } else {
            cleaned.filter(|c| !c.is_whitespace()).count()
        }
    }
}

/// The length of the word that a text begins with, if it is of ASCII letters and digits; otherwise 0.
fn plain_word(text: &str) -> usize {
    let bytes = text.as_bytes();
    let length = bytes.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(bytes.len());
    if bytes.get(length).copied().is_none_or(ends_word) { length } else { 0 }
}

/// Whether a word ends before this byte, in every text.
fn ends_word(byte: u8) -> bool {
    byte.is_ascii_punctuation() || matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The number of tokens of a part, by `count` unless it is kept.
fn counted(part: &str, words: Option<&mut Words>, count: impl Fn(&str) -> usize) -> usize {
    match words {
        Some(words) => words.count(part.as_bytes(), || count(part)),
        None => count(part),
    }
}
