//! How far a chunk may reach: so many characters, and perhaps so many tokens of a model.

use std::ops::Range;

use super::boundary::Position;

/// Counts the tokens of a model in a text, white space among them or not.
///
/// A cut inside a word may raise the count of what is left: `un-known` may be one token and `un-kno` three, and
/// a word too long to be known is one token where each half of it is fifty. Hence two kinds of prefix.
pub trait Tokenizer {
    /// How many tokens the whole text has: none for white space, never more than it has bytes. Cut at white space
    /// that is no control character, it has as many as its parts.
    fn count(&self, text: &str) -> usize;

    /// Bytes at the start of `text` that have at most `most` tokens and end between words: as many as there
    /// are; where even the first word has more, those of [`divisible_prefix`](Tokenizer::divisible_prefix).
    fn prefix(&self, text: &str, most: usize) -> usize;

    /// Bytes at the start of `text` of which no part has more than `most` tokens, wherever it is cut; at
    /// least one character.
    fn divisible_prefix(&self, text: &str, most: usize) -> usize;

    /// The first byte from which on `text`, if cut there, has at most `most` tokens; it stands between words.
    fn suffix(&self, text: &str, most: usize) -> usize;
}

/// How many tokens a chunk may have whose heading path is the one given.
pub type TokenBudget<'a> = Box<dyn Fn(Option<&str>) -> usize + 'a>;

/// A limit in tokens beside the one in characters.
pub struct TokenLimit<'a> {
    /// Counts them.
    pub tokenizer: Box<dyn Tokenizer + 'a>,
    /// Says how many there may be. 0 is taken for 1.
    pub budget: TokenBudget<'a>,
    /// Size and overlap in tokens, where they are counted so.
    pub window: Option<TokenWindow>,
}

/// Chunk size and overlap in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenWindow {
    /// Most tokens in a chunk.
    pub size: usize,
    /// Most tokens shared with the chunk before.
    pub overlap: usize,
}

/// The limits of chunks of one text.
pub(crate) struct Limits<'a> {
    pub text: &'a str,
    /// Most characters in a chunk.
    pub size: usize,
    /// Most characters shared with the chunk before.
    pub overlap: usize,
    pub limit: Option<TokenLimit<'a>>,
}

impl Limits<'_> {
    /// Most tokens in a chunk with this heading path.
    pub(crate) fn budget(&self, heading: Option<&str>) -> usize {
        let Some(limit) = &self.limit else { return usize::MAX };
        let size = limit.window.map_or(usize::MAX, |window| window.size);
        (limit.budget)(heading).min(size).max(1)
    }

    /// Whether this part of the text may be one chunk.
    pub(crate) fn fits(&self, bytes: Range<usize>, heading: Option<&str>) -> bool {
        let part = &self.text[bytes];
        // A limit in tokens is looked up only where bytes do not settle it.
        part.chars().nth(self.size).is_none()
            && (self.limit.is_none() || self.holds(part, self.budget(heading)))
    }

    /// Whether `part` has at most `budget` tokens.
    pub(crate) fn holds(&self, part: &str, budget: usize) -> bool {
        match &self.limit {
            Some(limit) => part.len() <= budget || limit.tokenizer.count(part) <= budget,
            None => true,
        }
    }

    /// Most characters of a chunk that begins at `start`. A chunk that ends inside a word may yet have more
    /// than `budget` tokens; with `divisible` none has.
    pub(crate) fn size_at(&self, start: Position, budget: usize, divisible: bool) -> usize {
        let Some(limit) = &self.limit else { return self.size };
        let rest = &self.text[start.byte..];
        let rest = rest.get(..rest.floor_char_boundary(self.size.saturating_mul(4))).unwrap_or(rest);
        if rest.len() <= budget {
            return self.size;
        }
        let tokenizer = &limit.tokenizer;
        let bytes =
            if divisible { tokenizer.divisible_prefix(rest, budget) } else { tokenizer.prefix(rest, budget) };
        if bytes >= rest.len() {
            return self.size;
        }
        rest[..bytes].chars().count().clamp(1, self.size)
    }

    /// Most characters that the next chunk shares with `chunk`, which may have had up to `size` of them. Where
    /// tokens made chunks smaller, they share less.
    pub(crate) fn overlap_of(&self, chunk: &str, size: usize, budget: usize) -> usize {
        let Some(limit) = &self.limit else { return self.overlap };
        let Some(window) = limit.window else {
            // Both factors are below 2^62.
            return (self.overlap as u128 * size as u128 / self.size.max(1) as u128) as usize;
        };
        let tokens = shared_tokens(window, budget);
        if tokens == 0 {
            return 0;
        }
        chunk[limit.tokenizer.suffix(chunk, tokens)..].chars().count()
    }

    /// Whether `shared`, the end of a chunk after `before`, may be the beginning of the next one too.
    pub(crate) fn may_share(&self, before: &str, shared: &str, budget: usize) -> bool {
        match self.limit.as_ref().and_then(|limit| limit.window) {
            Some(window) => {
                before.ends_with(parts_words) || self.holds(shared, shared_tokens(window, budget))
            }
            None => true,
        }
    }
}

/// Whether the character stands between words for every tokenizer: control characters may count for nothing.
pub(crate) fn parts_words(c: char) -> bool {
    c.is_whitespace() && (!c.is_control() || matches!(c, '\t' | '\n' | '\r'))
}

/// The overlap in tokens of chunks of at most `budget` tokens.
fn shared_tokens(window: TokenWindow, budget: usize) -> usize {
    window.overlap * budget.min(window.size) / window.size.max(1)
}
