//! Splits work into batches, and estimates how many tokens texts have.

use super::Limits;
use std::ops::Range;
use unicode_script::{Script, UnicodeScript};

/// What a model may add to a text: its prefix and the tokens that mark the ends.
const ADDED_TO_A_TEXT: usize = 64;

/// Batches of consecutive texts of these lengths, in bytes, within the limits. A text that exceeds a limit by
/// itself is alone in its batch.
///
/// Counting tokens would need the model's tokenizer. No text has more tokens than bytes, so limiting bytes
/// keeps the limit. The price is that batches use only about a quarter of the tokens allowed.
pub fn split(lengths: &[usize], limits: &Limits) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut start = 0;
    let (mut bytes, mut tokens) = (0_usize, 0_usize);
    for (text, &length) in lengths.iter().enumerate() {
        bytes = bytes.saturating_add(length);
        tokens = tokens.saturating_add(length).saturating_add(ADDED_TO_A_TEXT);
        let full = text - start >= limits.items
            || bytes > limits.bytes
            || limits.tokens.is_some_and(|limit| tokens > limit);
        if full && text > start {
            batches.push(start..text);
            start = text;
            bytes = length;
            tokens = length.saturating_add(ADDED_TO_A_TEXT);
        }
    }
    if start < lengths.len() {
        batches.push(start..lengths.len());
    }
    batches
}

/// The approximate number of tokens in a text, to estimate costs: one per four characters, but one per
/// character in scripts that are syllabic or written without spaces.
pub fn estimate_tokens(text: &str) -> u64 {
    let mut quarters = 0_u64;
    for c in text.chars() {
        quarters += if c.is_ascii() || !is_a_token(c) { 1 } else { 4 };
    }
    quarters.div_ceil(4)
}

fn is_a_token(c: char) -> bool {
    use Script::{Bopomofo, Han, Hangul, Hiragana, Katakana};
    matches!(c.script(), Han | Hiragana | Katakana | Hangul | Bopomofo)
}
