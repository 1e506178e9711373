//! The words of a query, the lexemes that stand for them, and what each counts.

use std::collections::{BTreeSet, HashMap};

use super::MARK;
use crate::bm25::inverse_document_frequency;

/// A word of a query, with the lexemes that stand for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryWord {
    /// Its place in the query: the number of its first word, from 1, stop words counted. None for neighbors that are joined.
    pub at: Option<u32>,
    /// The lexemes of the word itself. None for a stop word, and for neighbors that are joined.
    pub lexemes: Vec<String>,
    /// Those of its atoms, or of neighbors, as one word.
    pub joined: Vec<String>,
    /// Those of its parts: without mark, as texts have them that write the parts as words.
    pub parts: Vec<String>,
}

impl QueryWord {
    /// Whether no lexeme stands for it.
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// All lexemes, without mark.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.lexemes.iter().chain(&self.joined).chain(&self.parts)
    }
}

/// The lexeme that a text has for a part.
pub fn marked(lexeme: &str) -> String {
    format!("{lexeme}{MARK}")
}

/// Whether what is joined is looked up as texts have it as a part, too: ab1234 for AB-1234 in a text. A compound of words is found by
/// these: the atoms of boundary-layer stand in the index, and chunks that join them are not better.
fn is_part_of_texts(joined: &str) -> bool {
    joined.contains(|c: char| c.is_ascii_digit())
}

/// Every lexeme that is looked up for words, sorted; with `has_parts` as texts have them as parts, too.
pub fn lexemes(words: &[QueryWord], has_parts: bool) -> Vec<String> {
    let mut lexemes = BTreeSet::new();
    for word in words {
        if has_parts {
            let joined = word.joined.iter().filter(|lexeme| is_part_of_texts(lexeme));
            lexemes.extend(word.lexemes.iter().chain(&word.parts).chain(joined).map(|lexeme| marked(lexeme)));
        }
        lexemes.extend(word.all().cloned());
    }
    lexemes.into_iter().collect()
}

/// The weight of each lexeme: the inverse document frequency of a word among `chunks`, also of what is joined and another text has as
/// a word; that of a part, times `part_weight`. A part is as frequent as the word and the part together, so that it never counts more than the word. All parts of a word count at most as
/// much as the word. A lexeme that stands for several words counts as much as for the one where it counts most.
pub fn weights(
    words: &[QueryWord],
    chunks: f64,
    frequency: impl Fn(&str) -> f64,
    part_weight: f64,
) -> HashMap<String, f64> {
    let mut weights: HashMap<String, f64> = HashMap::new();
    let mut count = |lexeme: String, weight: f64| {
        let known = weights.entry(lexeme).or_default();
        *known = known.max(weight);
    };
    for word in words {
        let mut of_word: Option<f64> = None;
        for lexeme in &word.lexemes {
            let (alone, as_part) = (frequency(lexeme), frequency(&marked(lexeme)));
            let weight = inverse_document_frequency(chunks, alone);
            of_word = Some(of_word.map_or(weight, |known| known.max(weight)));
            count(marked(lexeme), part_weight * inverse_document_frequency(chunks, alone + as_part));
            count(lexeme.clone(), weight);
        }
        for lexeme in &word.joined {
            let (alone, as_part) = (frequency(lexeme), frequency(&marked(lexeme)));
            if is_part_of_texts(lexeme) {
                count(marked(lexeme), part_weight * inverse_document_frequency(chunks, alone + as_part));
            }
            count(lexeme.clone(), part_weight * inverse_document_frequency(chunks, alone));
        }
        let parts: Vec<(&String, f64)> = word
            .parts
            .iter()
            .map(|part| (part, frequency(part) + frequency(&marked(part))))
            .filter(|(_, frequency)| *frequency > 0.0)
            .map(|(part, frequency)| (part, part_weight * inverse_document_frequency(chunks, frequency)))
            .collect();
        let of_parts: f64 = parts.iter().map(|(_, weight)| weight).sum();
        let scale = of_word.filter(|of_word| *of_word < of_parts).map_or(1.0, |of_word| of_word / of_parts);
        for (part, weight) in parts {
            count(marked(part), scale * weight);
            count(part.clone(), scale * weight);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(lexemes: &[&str], parts: &[&str]) -> QueryWord {
        let owned = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        QueryWord { at: None, lexemes: owned(lexemes), joined: Vec::new(), parts: owned(parts) }
    }

    fn frequency(lexeme: &str) -> f64 {
        match lexeme.trim_end_matches(MARK) {
            "rare" => 1.0,
            "common" => 500.0,
            "never" => 0.0,
            _ => 20.0,
        }
    }

    #[test]
    fn words_are_looked_up_as_words_and_parts() {
        let words = [word(&["b"], &["a"]), word(&["b"], &[])];
        assert_eq!(lexemes(&words, true), ["a", "a\u{1}", "b", "b\u{1}"]);
        assert_eq!(lexemes(&words, false), ["a", "b"]);
    }

    #[test]
    fn a_word_counts_as_without_parts() {
        let weights = weights(&[word(&["rare"], &["common"])], 1000.0, frequency, 0.5);
        assert_eq!(weights["rare"].to_bits(), inverse_document_frequency(1000.0, 1.0).to_bits());
        assert!(weights["rare\u{1}"] < 0.5 * weights["rare"]);
        assert_eq!(weights["common"], 0.5 * inverse_document_frequency(1000.0, 1000.0));
    }

    #[test]
    fn parts_count_no_more_than_their_word() {
        let words = [word(&["common"], &["rare", "x", "y", "z"])];
        let weights = weights(&words, 1000.0, frequency, 1.0);
        let parts: f64 = ["rare", "x", "y", "z"].iter().map(|part| weights[*part]).sum();
        assert!((parts - weights["common"]).abs() < 1e-9);
    }

    #[test]
    fn a_word_that_nobody_writes_counts_most() {
        let words = [word(&["never"], &["rare", "x"])];
        let weights = weights(&words, 1000.0, frequency, 0.5);
        assert_eq!(weights["rare"], 0.5 * inverse_document_frequency(1000.0, 2.0));
        assert!(!weights.contains_key("never part"));
    }

    proptest! {
        #[test]
        fn weights_are_finite_and_bounded(
            words in prop::collection::vec(
                (prop::collection::vec("[a-e]{1,2}", 0..3), prop::collection::vec("[a-e]{1,2}", 0..6)), 0..6),
            counts in prop::collection::vec(0u16..300, 30),
            part_weight in 0.0f64..=1.0,
        ) {
            let words: Vec<QueryWord> =
                words.into_iter().map(|(lexemes, parts)| QueryWord { at: None, joined: parts.iter().take(1).cloned().collect(), lexemes, parts }).collect();
            let frequency = |lexeme: &str| f64::from(counts[lexeme.bytes().map(usize::from).sum::<usize>() % counts.len()]);
            let weights = weights(&words, 300.0, frequency, part_weight);
            let most = inverse_document_frequency(300.0, 0.0);
            for lexeme in lexemes(&words, true) {
                let weight = weights.get(&lexeme).copied().unwrap_or_default();
                prop_assert!((0.0..=most).contains(&weight), "{} of {}", weight, lexeme);
            }
        }
    }
}
