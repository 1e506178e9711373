//! Cuts a normalized text into units.

use std::borrow::Cow;

use super::compound::{is_of_word, parts};
use super::fold::{folded, has_accent, is_plain_lower};
use super::number::spaced_number;
use super::{Conventions, Part, PartKind, Unit};
use crate::bigram::is_unspaced;

/// A tag of a page within a text is at most so long.
const MAX_TAG_BYTES: usize = 512;
/// Signs that may stand before and after a plain word.
const OPENING: &[u8] = b"([{\"'*_`";
const CLOSING: &[u8] = b".,;:!?)]}\"'*_`";
/// So many pairs of neighbors in a query are looked at.
const MAX_NEIGHBORS: usize = 16;
/// A query of more words is a question in sentences.
const MAX_WORDS_OF_NAME: usize = 4;

/// A token that may have parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its text.
    pub text: &'a str,
    /// The number that it is, if its groups of digits stand apart.
    number: Option<String>,
    is_first_word: bool,
}

impl<'a> Token<'a> {
    /// Its parts; none twice, except for words without accents.
    pub fn parts(&self, conventions: &Conventions) -> Vec<Part> {
        if let Some(number) = &self.number {
            return vec![Part { text: number.clone(), kind: PartKind::Lexeme }];
        }
        let mut found = parts(self.text, conventions.decimal_mark);
        if let Some(letter) = single_letter(self.text).filter(|_| !self.is_first_word) {
            found.push(Part { text: letter.to_lowercase().collect(), kind: PartKind::Letter });
        }
        if let Some(spelling) = conventions.spelling {
            let words = found
                .iter()
                .filter(|part| matches!(part.kind, PartKind::Word | PartKind::Joined))
                .map(|part| part.text.as_str());
            let words = [self.text.trim_matches(|c| !is_of_word(c))].into_iter().chain(words);
            let forms: Vec<String> = words.flat_map(|word| folded(word, spelling)).collect();
            found.extend(forms.into_iter().map(|text| Part { text, kind: PartKind::Folded }));
        }
        found
    }

    /// Tokens of the same key have the same parts.
    pub fn key(&self) -> Cow<'a, str> {
        if self.is_first_word && single_letter(self.text).is_some() {
            // No token ends with a space.
            return Cow::Owned(format!("{} ", self.text));
        }
        Cow::Borrowed(self.text)
    }
}

/// The units of a normalized text, in its order.
pub fn units<'a>(text: &'a str, conventions: &Conventions) -> Vec<Unit<'a>> {
    units_by(text, |token| Some(token.parts(conventions)).filter(|parts| !parts.is_empty()))
}

/// The same with what `parts_of` gives for the parts of a token: None for one that has no parts.
pub fn units_by<'a, P>(text: &'a str, parts_of: impl FnMut(&Token<'a>) -> Option<P>) -> Vec<Unit<'a, P>> {
    let mut cut = Cut { text, parts_of, units: Vec::new(), plain_from: 0, is_first_word: true };
    let mut at = 0;
    while let Some(next) = cut.token(at) {
        at = next;
    }
    cut.flush(text.len());
    cut.units
}

struct Cut<'a, P, F> {
    text: &'a str,
    parts_of: F,
    units: Vec<Unit<'a, P>>,
    /// From here on the text has been plain.
    plain_from: usize,
    /// Whether the next word begins a sentence.
    is_first_word: bool,
}

impl<'a, P, F: FnMut(&Token<'a>) -> Option<P>> Cut<'a, P, F> {
    /// Cuts the next token off, from an offset. Returns its end; None at the end of the text.
    fn token(&mut self, from: usize) -> Option<usize> {
        let rest = self.text.get(from..)?;
        let start = from + rest.find(|c: char| !c.is_whitespace())?;
        if let Some(end) = self.tag(start) {
            return Some(end);
        }
        if let Some(end) = self.spaced_number(start) {
            return Some(end);
        }
        let rest = self.text.get(start..)?;
        // A token begins or ends where a script without spaces begins or ends, too.
        let is_run = rest.starts_with(is_unspaced);
        let length = rest.find(|c: char| c.is_whitespace() || is_unspaced(c) != is_run && !is_mark(c));
        let end = start + length.unwrap_or(rest.len()).max(rest.chars().next().map_or(0, char::len_utf8));
        let token = self.text.get(start..end)?;
        if is_run {
            self.push(start, end, Unit::Run(token));
        } else if !is_plain(token) {
            let candidate = Token { text: token, number: None, is_first_word: self.is_first_word };
            self.push_token(start, end, &candidate);
        }
        self.is_first_word = token.ends_with(['.', '!', '?', ':']) || is_run;
        Some(end)
    }

    /// Adds a token, unless it has no parts.
    fn push_token(&mut self, start: usize, end: usize, token: &Token<'a>) {
        if let Some(parts) = (self.parts_of)(token) {
            self.push(start, end, Unit::Token(token.text, parts));
        }
    }

    fn push(&mut self, start: usize, end: usize, unit: Unit<'a, P>) {
        self.flush(start);
        self.units.push(unit);
        self.plain_from = end;
    }

    /// Adds the plain text before an offset.
    fn flush(&mut self, end: usize) {
        if let Some(text) = self.text.get(self.plain_from..end).filter(|text| text.contains(is_of_word)) {
            self.units.push(Unit::Text(text));
        }
    }

    /// The end of a tag with spaces in it, which the parser must see whole.
    fn tag(&self, start: usize) -> Option<usize> {
        let rest = self.text.get(start..)?.strip_prefix('<')?;
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)) {
            return None;
        }
        let length = rest.find('>').filter(|length| *length <= MAX_TAG_BYTES)?;
        rest.get(..length)?.contains(char::is_whitespace).then_some(start + 1 + length + 1)
    }

    fn spaced_number(&mut self, start: usize) -> Option<usize> {
        let rest = self.text.get(start..)?;
        let (length, number) = spaced_number(rest)?;
        let token = Token { text: rest.get(..length)?, number: Some(number), is_first_word: false };
        self.push_token(start, start + length, &token);
        self.is_first_word = false;
        Some(start + length)
    }
}

/// Whether a character belongs to the one before it, whatever that is.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && unicode_normalization::char::is_combining_mark(c)
}

/// A token without the signs of the sentence around it.
pub fn trimmed(token: &str) -> &str {
    let bytes = token.as_bytes();
    let start = bytes.iter().position(|byte| !OPENING.contains(byte)).unwrap_or(bytes.len());
    let last = bytes.iter().rposition(|byte| !CLOSING.contains(byte));
    token.get(start..last.map_or(start, |last| last + 1)).unwrap_or_default()
}

/// Whether a token is a word or number with nothing to add: the most frequent case, told fast. Letters in one case, except for
/// the first one, or digits.
fn is_plain(token: &str) -> bool {
    let word = trimmed(token);
    match word.as_bytes() {
        [] => true,
        [first, rest @ ..] if first.is_ascii_digit() => rest.iter().all(u8::is_ascii_digit),
        // A single capital letter may be a name.
        [first] => !first.is_ascii_uppercase(),
        [first, rest @ ..] if first.is_ascii_alphabetic() && rest.is_ascii() => {
            let is_lower = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'\'';
            rest.iter().all(is_lower) || first.is_ascii_uppercase() && rest.iter().all(u8::is_ascii_uppercase)
        }
        _ => is_plain_word(word),
    }
}

/// The same for a word with letters beyond ASCII.
fn is_plain_word(word: &str) -> bool {
    let is_letter = |c: char| is_plain_lower(c) || c.is_alphabetic() && !has_accent(c);
    let is_lower = |c: char| is_plain_lower(c) || c.is_lowercase() && is_letter(c);
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(only), None) => is_lower(only),
        (Some(first), Some(second)) => {
            is_letter(first)
                && is_lower(second)
                && letters.all(|c| is_plain_lower(c) || !c.is_uppercase() && is_letter(c))
        }
        (None, _) => false,
    }
}

/// The letter of a token that is a single capital letter between signs.
fn single_letter(token: &str) -> Option<char> {
    let mut letters = token.chars().filter(|c| is_of_word(*c));
    letters.next().filter(|letter| letter.is_uppercase() && letters.next().is_none())
}

/// The neighbors of a query that may be one word: AB and 1234, sign and off. Only between spaces: other signs make compounds. In a
/// question in sentences, only those of which one has a digit.
pub fn neighbors(text: &str) -> Vec<[&str; 2]> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|token| token.trim_matches(|c| !is_of_word(c)))
        .take(MAX_NEIGHBORS + 1)
        .collect();
    let is_word =
        |word: &&str| !word.is_empty() && word.chars().all(is_of_word) && !word.contains(is_unspaced);
    let has_digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    let is_short = words.len() <= MAX_WORDS_OF_NAME;
    let is_joined = |pair: &&[&str]| pair.iter().all(is_word) && (is_short || pair.iter().any(has_digit));
    words.windows(2).filter(is_joined).filter_map(|pair| <[&str; 2]>::try_from(pair).ok()).collect()
}
