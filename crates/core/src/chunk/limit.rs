//! The limits of a chunk: a number of characters, and optionally a number of tokens of a model.

use std::ops::Range;

use super::boundary::Position;

/// Counts a model's tokens in a text, which may contain white space.
///
/// A cut inside a word may raise the count of what remains: `un-known` may be one token and `un-kno` three. A
/// word too long for the vocabulary is one token, but each half of it may be fifty. Hence two kinds of
/// prefix.
pub trait Tokenizer {
    /// The number of tokens in the whole text: none for white space, and never more than
    /// [`max_tokens_for`](Tokenizer::max_tokens_for) its bytes. Splitting a text at white space other than a control
    /// character does not change the total.
    fn count(&self, text: &str) -> usize;

    /// The most tokens that a text of `bytes` bytes has. Spares counting where a text is short.
    fn max_tokens_for(&self, bytes: usize) -> usize {
        bytes
    }

    /// The length in bytes of the longest prefix of `text` that has at most `max` tokens and ends between
    /// words, or inside a word where the tokenizer can tell that no token is cut there. If there is none, that
    /// of [`divisible_prefix`](Tokenizer::divisible_prefix).
    fn prefix(&self, text: &str, max: usize) -> usize;

    /// The length in bytes of a prefix of `text` of which no part has more than `max` tokens, wherever it is
    /// cut; at least one character.
    fn divisible_prefix(&self, text: &str, max: usize) -> usize;

    /// The first byte, of the places where [`prefix`](Tokenizer::prefix) may end, from which the rest of `text` has
    /// at most `max` tokens if cut there.
    fn suffix(&self, text: &str, max: usize) -> usize;
}

/// The texts that are embedded between the title and the text of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before<'a> {
    /// The heading path.
    pub heading: Option<&'a str>,
    /// The header of its table; see [`Chunk::context`](super::Chunk::context).
    pub context: Option<&'a str>,
}

/// The most tokens that a chunk may have after this heading path and context.
pub type TokenBudget<'a> = Box<dyn Fn(Before) -> usize + 'a>;

/// A limit in tokens, in addition to the one in characters.
pub struct TokenLimit<'a> {
    /// Counts the tokens.
    pub tokenizer: Box<dyn Tokenizer + 'a>,
    /// The token budget of a chunk. 0 counts as 1.
    pub budget: TokenBudget<'a>,
    /// Chunk size and overlap, if they are measured in tokens.
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

/// The limits for the chunks of one text.
pub(crate) struct Limits<'a> {
    pub text: &'a str,
    /// Most characters in a chunk.
    pub size: usize,
    /// Most characters shared with the chunk before.
    pub overlap: usize,
    pub limit: Option<TokenLimit<'a>>,
}

impl Limits<'_> {
    /// Most tokens in a chunk with this before it.
    pub(crate) fn budget(&self, before: Before) -> usize {
        let Some(limit) = &self.limit else { return usize::MAX };
        let size = limit.window.map_or(usize::MAX, |window| window.size);
        (limit.budget)(before).min(size).max(1)
    }

    /// Whether this part of the text may be one chunk.
    pub(crate) fn fits(&self, bytes: Range<usize>, before: Before) -> bool {
        let part = &self.text[bytes];
        // Tokens are counted only where the length in bytes does not decide.
        part.chars().nth(self.size).is_none()
            && (self.limit.is_none() || self.holds(part, self.budget(before)))
    }

    /// Whether `part` has at most `budget` tokens.
    pub(crate) fn holds(&self, part: &str, budget: usize) -> bool {
        match &self.limit {
            Some(limit) => {
                limit.tokenizer.max_tokens_for(part.len()) <= budget || limit.tokenizer.count(part) <= budget
            }
            None => true,
        }
    }

    /// The most characters that a chunk starting at `start` may have. A chunk that ends inside a word may
    /// still have more than `budget` tokens, unless `divisible` is set.
    pub(crate) fn size_at(&self, start: Position, budget: usize, divisible: bool) -> usize {
        let Some(limit) = &self.limit else { return self.size };
        let rest = &self.text[start.byte..];
        let rest = rest.get(..rest.floor_char_boundary(self.size.saturating_mul(4))).unwrap_or(rest);
        let tokenizer = &limit.tokenizer;
        if tokenizer.max_tokens_for(rest.len()) <= budget {
            return self.size;
        }
        let bytes =
            if divisible { tokenizer.divisible_prefix(rest, budget) } else { tokenizer.prefix(rest, budget) };
        if bytes >= rest.len() {
            return self.size;
        }
        rest[..bytes].chars().count().clamp(1, self.size)
    }

    /// The most characters that the next chunk shares with `chunk`, which could have had up to `size` of
    /// them. Where tokens made chunks smaller, they share less.
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

    /// Whether `shared`, the end of a chunk after `before`, may also begin the next chunk.
    pub(crate) fn may_share(&self, before: &str, shared: &str, budget: usize) -> bool {
        match self.limit.as_ref().and_then(|limit| limit.window) {
            Some(window) => {
                before.ends_with(parts_words) || self.holds(shared, shared_tokens(window, budget))
            }
            None => true,
        }
    }
}

/// Whether every tokenizer treats the character as a word separator. Some ignore control characters.
pub(crate) fn parts_words(c: char) -> bool {
    c.is_whitespace() && (!c.is_control() || matches!(c, '\t' | '\n' | '\r'))
}

/// The overlap in tokens of chunks of at most `budget` tokens.
fn shared_tokens(window: TokenWindow, budget: usize) -> usize {
    window.overlap * budget.min(window.size) / window.size.max(1)
}
