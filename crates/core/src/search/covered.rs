//! How much the keyword arm weighs beside vectors.

use crate::lexeme::Held;

/// From this share of the question on, the keyword arm has its full weight.
const COVERED: f64 = 0.5;
/// So much of a question are its numbers and codes, if not only trifles such as the 10 of "top 10".
const CODES: f64 = 0.05;
/// The factor of the weight for a number or a code that was found.
const FOR_CODES: f64 = 3.0;

/// The factor of the weight of the keyword arm, whose best chunk holds this of the question.
///
/// - Words that no text has cannot be found: min(1, c / .5) for the share c that is held. So a question in another language
///   is left to the vectors.
/// - Embedding models hardly tell numbers and codes apart: up to three times as much if the best chunk has those of the
///   question.
///
/// docs/benchmarks.md shows how the numbers were chosen.
pub fn weight_of(held: Held) -> f64 {
    let codes = (held.codes / CODES).min(1.0);
    (held.words / COVERED).min(1.0) * (1.0 + (FOR_CODES - 1.0) * codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weights_of_what_is_held() {
        for (words, codes, weight) in [
            (1.0, 0.0, 1.0),
            (0.5, 0.0, 1.0),
            (0.25, 0.0, 0.5),
            (0.0, 0.0, 0.0),
            (1.0, 1.0, 3.0),
            (1.0, 0.025, 2.0),
        ] {
            assert_eq!(weight_of(Held { words, codes }), weight, "{words} {codes}");
        }
        assert_eq!(weight_of(Held::ALL), 1.0);
    }

    proptest! {
        #[test]
        fn more_never_weighs_less(words in 0.0_f64..=1.0, more in 0.0_f64..=1.0, codes in 0.0_f64..=1.0) {
            let (less, more) = (words.min(more), words.max(more));
            let weight = |words: f64| weight_of(Held { words, codes: codes.min(words) });
            prop_assert!(weight(less) <= weight(more) && weight(more) <= FOR_CODES);
        }
    }
}
