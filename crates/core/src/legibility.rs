//! How far a vector search can be trusted with a text, by how well the model's vocabulary fits its language.
//!
//! A model cuts words of a language that it was not trained on into letters, and its vectors of such a text say little. The
//! tokens a character tell this without knowing the language. Over the hits of searches of judged sets, with the default
//! model's English vocabulary: English 0.18 to 0.28, program code 0.21 to 0.34, German, Spanish and Romanian 0.32 to 0.42,
//! Turkish and Vietnamese 0.41 to 0.51; Russian, Greek, Arabic, Hindi, Thai and Chinese 0.8 to 1. docs/benchmarks.md shows
//! how the limits were chosen.

/// From so many tokens a character on, a text is illegible to the model.
pub const ILLEGIBLE: f64 = 0.5;

/// If half of the texts are legible, all count as no worse: of two, one in another language would hide the other.
const HALF_READ: f64 = 0.45;

/// Fewer characters say nothing about a language.
const MIN_CHARACTERS: usize = 20;

/// Points of the weight: tokens a character, and the weight there. Between them it falls evenly.
const WEIGHTS: [(f64, f64); 3] = [(0.30, 1.0), (0.35, 0.1), (ILLEGIBLE, 0.0)];

/// Tokens a character. None if there are too few characters to tell.
pub fn tokens_per_character(tokens: usize, characters: usize) -> Option<f64> {
    (characters >= MIN_CHARACTERS).then(|| tokens as f64 / characters as f64)
}

/// The median of [`tokens_per_character`] over texts, given as tokens and characters. A few texts in another language, as in a
/// knowledge base of several, do not count. None if no text tells anything.
pub fn median_tokens_per_character(texts: impl Iterator<Item = (usize, usize)>) -> Option<f64> {
    let mut found: Vec<f64> =
        texts.filter_map(|(tokens, characters)| tokens_per_character(tokens, characters)).collect();
    found.sort_unstable_by(f64::total_cmp);
    let (low, high) = (*found.get(found.len().checked_sub(1)? / 2)?, *found.get(found.len() / 2)?);
    let middle = (low + high) / 2.0;
    Some(middle.min(low.max(HALF_READ)))
}

/// The weight, from 0 to 1, of a vector search that found texts with so many tokens a character; 0 leaves it out.
///
/// Texts decide, not the question: single words of a question vary too much. In German a vector search already ranks far
/// worse than keywords (first hit right for 57 % of the questions, with keywords 87 %).
pub fn weight(tokens_per_character: f64) -> f64 {
    let [first, ..] = WEIGHTS;
    if tokens_per_character <= first.0 {
        return first.1;
    }
    let between = WEIGHTS.iter().zip(&WEIGHTS[1..]).find(|(_, to)| tokens_per_character <= to.0);
    between.map_or(0.0, |(from, to)| {
        let part = (tokens_per_character - from.0) / (to.0 - from.0);
        from.1 + (to.1 - from.1) * part
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_weight_falls_from_english_to_what_is_illegible() {
        for (tokens_per_character, expected) in [
            (0.0, 1.0),
            (0.28, 1.0),
            (0.30, 1.0),
            (0.325, 0.55),
            (0.35, 0.1),
            (0.425, 0.05),
            (0.5, 0.0),
            (0.95, 0.0),
        ] {
            assert!((weight(tokens_per_character) - expected).abs() < 1e-9, "{tokens_per_character}");
        }
    }

    #[test]
    fn a_few_letters_tell_nothing() {
        assert_eq!(tokens_per_character(19, 19), None);
        assert_eq!(tokens_per_character(5, 20), Some(0.25));
    }

    #[test]
    fn few_texts_in_another_language_do_not_count() {
        let (english, russian, short) = ((50, 200), (190, 200), (10, 10));
        let median = |texts: &[(usize, usize)]| median_tokens_per_character(texts.iter().copied());
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[short]), None);
        assert_eq!(median(&[short, russian, short]), Some(0.95));
        assert_eq!(median(&[russian, english, english]), Some(0.25));
        assert_eq!(median(&[english, russian, russian, english]), Some(0.45));
        assert_eq!(median(&[english, (80, 200)]), Some(0.325));
        assert_eq!(median(&[(98, 200), russian]), Some(0.49));
        assert_eq!(median(&[english, russian, russian, russian]), Some(0.95));
    }

    proptest! {
        #[test]
        fn the_weight_never_rises(a in 0.0f64..1.2, b in 0.0f64..1.2) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(weight(low) >= weight(high));
            prop_assert!((0.0..=1.0).contains(&weight(a)));
        }

        #[test]
        fn texts_of_nearly_equal_legibility_have_nearly_equal_weights(a in 0.0f64..1.2) {
            prop_assert!((weight(a) - weight(a + 0.001)).abs() < 0.02);
        }

        #[test]
        fn only_an_illegible_text_is_left_out(tokens in 0usize..1000, characters in 0usize..1000) {
            let density = tokens_per_character(tokens, characters);
            prop_assert_eq!(density.is_none(), characters < 20);
            prop_assert_eq!(density.is_some_and(|density| weight(density) == 0.0), density.is_some_and(|d| d >= ILLEGIBLE));
        }
    }
}
