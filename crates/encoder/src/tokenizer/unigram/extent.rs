//! How far a number of tokens extends into a text.
//!
//! White space separates words, so a text cut there has as many tokens as its two parts together. Inside a word, a
//! prefix that ends at a place that no piece of the vocabulary extends over has the tokens that it has in the word.

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::Unigram;
use super::normalizer::is_space;

/// A place in a word that no piece extends over.
struct Place {
    /// In bytes of the word as written.
    byte: usize,
    /// The tokens before it.
    tokens: usize,
}

impl Unigram {
    pub(crate) fn prefix(&self, text: &str, max: usize) -> usize {
        let (mut count, mut end) = (0, 0);
        for part in text.split_inclusive(is_space) {
            let tokens = self.count_pieces(part);
            if count + tokens > max {
                let inside = self.places(part.trim_end_matches(is_space), max - count + 1);
                let last = inside.iter().rev().find(|place| count + place.tokens <= max && place.byte > 0);
                return match last {
                    Some(place) => end + place.byte,
                    None if count == 0 => end.max(self.divisible_prefix(text, max)),
                    None => end,
                };
            }
            count += tokens;
            end += part.len();
        }
        text.len()
    }

    pub(crate) fn divisible_prefix(&self, text: &str, max: usize) -> usize {
        // The mark at the start of a word may be a token of its own.
        let mut count = 1;
        let past = text.char_indices().find(|&(at, character)| {
            count += std::iter::once(character).nfc().flat_map(|c| self.normalizer.normalized(c)).count();
            at > 0 && count > max
        });
        past.map_or(text.len(), |(at, _)| at)
    }

    pub(crate) fn suffix(&self, text: &str, max: usize) -> usize {
        let (mut count, mut start) = (0, text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let word = rest.trim_end_matches(is_space);
            let from =
                word.rfind(is_space).map_or(0, |at| at + word[at..].chars().next().map_or(1, char::len_utf8));
            let part = &rest[from..];
            let tokens = self.count_pieces(part);
            if count + tokens > max {
                // In the word, a part of it has no mark.
                let inside = self.places(part.trim_end_matches(is_space), usize::MAX);
                let fits = |byte: usize| count + self.count_pieces(&part[byte..]) <= max;
                let first =
                    inside.iter().find(|place| count + tokens <= max + place.tokens + 1 && fits(place.byte));
                return first
                    .filter(|place| place.byte < part.len())
                    .map_or(start, |place| from + place.byte);
            }
            count += tokens;
            if tokens > 0 {
                start = from;
            }
            rest = &rest[..from];
        }
        start
    }

    /// The places in a word, in their order, that no piece extends over, as far as `max` tokens. None in a word whose
    /// characters are to be composed, or that becomes several words.
    fn places(&self, word: &str, max: usize) -> Vec<Place> {
        let mut places = Vec::new();
        if !is_nfc(word) {
            return places;
        }
        // Where each character begins, in bytes of the normalized word, with the mark; and in bytes of the part.
        let mut starts = Vec::new();
        let mut length = super::MARK.len_utf8();
        for (byte, character) in word.char_indices() {
            starts.push((length, byte));
            for normalized in self.normalizer.normalized(character) {
                if normalized == ' ' {
                    return places;
                }
                length += normalized.len_utf8();
            }
        }
        starts.push((length, word.len()));
        let (mut passed, mut tokens) = (0, 0);
        self.each_cut(word.chars(), |cuts| {
            for cut in cuts {
                tokens += usize::from(cut.is_token);
                let found = starts.binary_search_by_key(&(passed + cut.end), |&(normalized, _)| normalized);
                if let (true, Some(&(_, byte))) =
                    (cut.is_free, found.ok().and_then(|place| starts.get(place)))
                {
                    places.push(Place { byte, tokens });
                }
            }
            passed += cuts.last().map_or(0, |cut| cut.end);
            tokens < max
        });
        places
    }
}
