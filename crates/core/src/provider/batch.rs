//! Splits work into batches.

use super::Limits;
use std::ops::Range;

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
