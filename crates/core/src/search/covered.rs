//! How much the keyword arm weighs beside vectors.

use crate::lexeme::Held;

/// From this share of the question on, the keyword arm has its full weight.
const COVERED: f64 = 0.5;
/// So much of a question are its numbers and codes, if not only trifles such as the 10 of "top 10".
const CODES: f64 = 0.05;
/// The factor of the weight for a number or a code that was found, by rank and by score.
const FOR_CODES: f64 = 3.0;
const FOR_CODES_BY_SCORE: f64 = 5.0;
/// The same by rank for a code that few chunks have. Ranks do not tell that the second chunk lacks it: with this weight, the order by keyword
/// decides, whatever the vectors say. (15 / 11 - 15 / 12 > 1 / 11, with the default rrf_k of 10.)
const FOR_RARE_CODES: f64 = 15.0;

/// The factor of the weight of the keyword arm, whose best chunk holds this of the question.
///
/// - Words that no text has cannot be found: min(1, c / .5) for the share c that is held. So a question in another language
///   is left to the vectors.
/// - Embedding models hardly tell numbers and codes apart: if the best chunk has those of the question, up to five times as much
///   by score, and three times by rank, or 15 times if few other chunks have them.
///
/// docs/benchmarks.md shows how the numbers were chosen.
pub fn weight_of(held: Held, is_by_rank: bool) -> f64 {
    let factor = |most: f64, share: f64| 1.0 + (most - 1.0) * (share / CODES).min(1.0);
    let of_codes = if is_by_rank {
        factor(FOR_CODES, held.codes).max(factor(FOR_RARE_CODES, held.rare_codes))
    } else {
        factor(FOR_CODES_BY_SCORE, held.codes)
    };
    (held.words / COVERED).min(1.0) * of_codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weights_of_what_is_held() {
        for (words, codes, rare_codes, by_rank, by_score) in [
            (1.0, 0.0, 0.0, 1.0, 1.0),
            (0.5, 0.0, 0.0, 1.0, 1.0),
            (0.25, 0.0, 0.0, 0.5, 0.5),
            (0.0, 0.0, 0.0, 0.0, 0.0),
            (1.0, 1.0, 0.0, 3.0, 5.0),
            (1.0, 0.025, 0.0, 2.0, 3.0),
            (1.0, 1.0, 1.0, 15.0, 5.0),
            (0.25, 0.2, 0.2, 7.5, 2.5),
            (1.0, 1.0, 0.025, 8.0, 5.0),
        ] {
            let held = Held { words, codes, rare_codes };
            assert_eq!([weight_of(held, true), weight_of(held, false)], [by_rank, by_score], "{held:?}");
        }
        assert_eq!(weight_of(Held::ALL, true), 1.0);
    }

    proptest! {
        #[test]
        fn more_never_weighs_less(words in 0.0_f64..=1.0, more in 0.0_f64..=1.0, codes in 0.0_f64..=1.0) {
            let (less, more) = (words.min(more), words.max(more));
            let codes = |words: f64| codes.min(words);
            let weight = |words: f64, is_by_rank| {
                weight_of(Held { words, codes: codes(words), rare_codes: codes(words) }, is_by_rank)
            };
            prop_assert!(weight(less, true) <= weight(more, true) && weight(more, true) <= FOR_RARE_CODES);
            prop_assert!(weight(less, false) <= weight(more, false) && weight(more, false) <= FOR_CODES_BY_SCORE);
        }
    }
}
