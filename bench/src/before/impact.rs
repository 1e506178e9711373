//! How much a lexeme matters in a chunk, in a few levels: the keys of the old keyword index.
//!
//! The function `kb_rag.keyword_keys` computes the keys of a chunk. This is the part that a search needed, with the
//! settings that a base has unless others are given.

use crate::oracle::{B, K1};

/// The effective frequency at which a lexeme reaches level 1, 2 or 3.
const LEVELS: [f64; 3] = [1.5, 2.6, 4.5];

/// The number of levels, including 0: the lexeme occurs.
pub const LEVEL_COUNT: usize = LEVELS.len() + 1;

/// The key of chunks too large to store levels: they had to be examined always.
pub const UNLEVELLED: &str = "\u{1}";

/// The length that frequencies are relative to: words of about 6 characters in a chunk of 1,000.
const SCALE_LENGTH: f64 = 166.0;
/// The weights of an occurrence in a heading and in a title.
pub const HEADING_WEIGHT: f64 = 1.5;
pub const TITLE_WEIGHT: f64 = 2.0;

/// The indexed expression, over columns `tsv` and `length`.
pub fn keys_expression() -> String {
    format!(
        "kb_rag.keyword_keys(tsv, length, {SCALE_LENGTH}::float8, {HEADING_WEIGHT}::float8, {TITLE_WEIGHT}::float8)"
    )
}

/// The key of a lexeme at a level. At level 0 it is the lexeme itself.
pub fn key(lexeme: &str, level: usize) -> String {
    match u8::try_from(level) {
        Ok(level @ 1..) => format!("{lexeme}{}", char::from(level)),
        _ => lexeme.to_string(),
    }
}

/// The level of a lexeme with this weighted frequency in a chunk of so many words.
pub fn level(frequency: f64, words: u32) -> usize {
    let effective = frequency / (1.0 - B + B * f64::from(words) / SCALE_LENGTH);
    LEVELS.iter().filter(|from| effective >= **from).count()
}

/// The most that a lexeme can add to a chunk's score if the chunk has it at exactly that level, by level.
pub fn bounds(idf: f64, mean_length: f64) -> [f64; LEVEL_COUNT] {
    let most = idf * (K1 + 1.0);
    let mut bounds = [most; LEVEL_COUNT];
    // The score divides a frequency f by 1 - B + B * length / mean length, and the level by the same expression
    // with its own length. Where the first can be less than the second, the effective frequency in the score can
    // exceed what the level says.
    let ratio = if mean_length > 0.0 { (SCALE_LENGTH / mean_length).min(1.0) } else { 0.0 };
    for (bound, below) in bounds.iter_mut().zip(LEVELS) {
        *bound = most * below / (below + K1 * ratio);
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_level_bounds_the_score() {
        let mut random = Random::new(3, 0);
        for _ in 0..10_000 {
            let (frequency, others) = (1.0 + random.below(30) as f64, random.below(600) as u32);
            let (words, mean_length) = (frequency as u32 + others, 1.0 + random.unit() * 500.0);
            let norm = K1 * (1.0 - B + B * f64::from(words) / mean_length);
            let score = 2.0 * frequency * (K1 + 1.0) / (frequency + norm);
            let bounds = bounds(2.0, mean_length);
            assert!(score <= bounds[level(frequency, words)] * (1.0 + 1e-12), "{score} {bounds:?}");
            assert!(bounds.is_sorted());
        }
    }
}
