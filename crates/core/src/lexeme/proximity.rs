//! The nearness of neighboring words of a question in a chunk.
//!
//! The idea is that of Rasolofo and Savoy, "Term Proximity Scoring for Keyword-Based Retrieval Systems" (2003), and of Büttcher, Clarke
//! and Lushman, "Term Proximity Scoring for Ad-Hoc Retrieval on Very Large Text Collections" (2006).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::QueryWord;
use super::query::marked;
use crate::bm25::inverse_document_frequency;
use crate::tsvector::{TsVector, Wanted};

/// Words are near if their positions differ by at most this.
const WINDOW: u16 = 3;
/// Two near words count this share of the inverse document frequency of the more frequent one.
const SHARE: f64 = 0.5;
/// PostgreSQL gives all words from here on the same position.
const MAX_POSITION: u16 = (1 << 14) - 1;

/// The pairs of neighboring words of a question.
#[derive(Clone, Debug)]
pub struct Proximity {
    wanted: Wanted,
    /// The words that each of these lexemes stands for.
    words: Vec<Vec<usize>>,
    /// Two words, and what they count if they are near.
    pairs: Vec<(usize, usize, f64)>,
}

impl Proximity {
    /// Two words are neighbors if only stop words stand between them. Those at the same place are one word as several analyzers read
    /// it. A word counts as in BM25, with the rarest of its lexemes; parts of a word are no words.
    pub fn new(words: &[QueryWord], chunks: f64, frequency: impl Fn(&str) -> f64) -> Proximity {
        let idf = |lexeme: &String| inverse_document_frequency(chunks, frequency(lexeme));
        let mut at: BTreeMap<u32, (BTreeSet<&String>, f64)> = BTreeMap::new();
        for word in words {
            let (Some(place), Some(counts)) = (word.at, word.lexemes.iter().map(idf).reduce(f64::max)) else {
                continue;
            };
            let (lexemes, least) = at.entry(place).or_insert((BTreeSet::new(), counts));
            lexemes.extend(&word.lexemes);
            *least = least.min(counts);
        }
        let distinct: Vec<(BTreeSet<&String>, f64)> = at.into_values().collect();
        let mut pairs: HashMap<[&BTreeSet<&String>; 2], (usize, usize, f64)> = HashMap::new();
        for (place, two) in distinct.windows(2).enumerate() {
            let [(first, of_first), (second, of_second)] = two else { continue };
            if !first.is_disjoint(second) {
                continue;
            }
            // The same words in the other order are the same pair.
            let key = if first < second { [first, second] } else { [second, first] };
            pairs.entry(key).or_insert((place, place + 1, SHARE * of_first.min(*of_second)));
        }
        let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (word, (lexemes, _)) in distinct.iter().enumerate() {
            for form in lexemes.iter().flat_map(|lexeme| [(*lexeme).clone(), marked(lexeme)]) {
                found.entry(form).or_default().push(word);
            }
        }
        let mut pairs: Vec<(usize, usize, f64)> = pairs.into_values().collect();
        pairs.sort_unstable_by_key(|(word, _, _)| *word);
        let (lexemes, words) = found.into_iter().map(|(lexeme, words)| (lexeme.into_bytes(), words)).unzip();
        Proximity { wanted: Wanted::new(lexemes), words, pairs }
    }

    /// Whether the question has no two words.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The bonus of a chunk beside its score by BM25: for each pair that it has within 3 positions of its title, heading or text, half of
    /// the smaller inverse document frequency.
    pub fn of(&self, vector: &TsVector) -> f64 {
        // By word: the section and the position of each occurrence.
        let mut places: HashMap<usize, Vec<(usize, u16)>> = HashMap::new();
        self.wanted.find_positions(vector, |lexeme, positions| {
            let known: Vec<(usize, u16)> =
                positions.filter(|(_, position)| (1..MAX_POSITION).contains(position)).collect();
            for word in self.words.get(lexeme).into_iter().flatten() {
                places.entry(*word).or_default().extend(&known);
            }
        });
        places.values_mut().for_each(|places| places.sort_unstable());
        let near = |(first, second, counts): &(usize, usize, f64)| {
            let (first, second) = (places.get(first)?, places.get(second)?);
            are_near(first, second).then_some(*counts)
        };
        self.pairs.iter().filter_map(near).sum()
    }
}

/// Whether two sorted lists of places have two that are near.
fn are_near(first: &[(usize, u16)], second: &[(usize, u16)]) -> bool {
    first.iter().any(|(section, position)| {
        let from = second.partition_point(|other| *other < (*section, position.saturating_sub(WINDOW)));
        second.get(from).is_some_and(|(other, next)| other == section && *next <= position + WINDOW)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::tests::build;
    use proptest::prelude::*;

    fn question(words: &[&str]) -> Vec<QueryWord> {
        let word = |(at, lexeme): (u32, &&str)| {
            let lexemes = if *lexeme == "the" { Vec::new() } else { vec![lexeme.to_string()] };
            QueryWord { at: Some(at), lexemes, parts: vec![format!("part-{lexeme}")], joined: Vec::new() }
        };
        (1..).zip(words).map(word).collect()
    }

    /// As a text has a word that is a part of a compound.
    const RARE_PART: &str = "rare\u{1}";

    fn frequency(lexeme: &str) -> f64 {
        if lexeme == "common" { 400.0 } else { 2.0 }
    }

    fn idf(lexeme: &str) -> f64 {
        inverse_document_frequency(1000.0, frequency(lexeme))
    }

    /// The bonus of a text of words with (section, position).
    fn bonus(words: &[&str], text: &[(&str, u16, u16)]) -> f64 {
        let mut lexemes: BTreeMap<Vec<u8>, Vec<(u16, u16)>> = BTreeMap::new();
        for (lexeme, section, position) in text {
            lexemes.entry(lexeme.as_bytes().to_vec()).or_default().push((*section, *position));
        }
        let bytes = build(&lexemes);
        let proximity = Proximity::new(&question(words), 1000.0, frequency);
        proximity.of(&TsVector::new(&bytes).unwrap())
    }

    #[test]
    fn near_neighbors_count_half_of_the_more_frequent() {
        let rare = 0.5 * idf("rare");
        let common = 0.5 * idf("common");
        for (words, text, expected) in [
            (&["rare", "pump"][..], &[("rare", 0, 4), ("pump", 0, 7)][..], rare),
            (&["rare", "pump"], &[("rare", 0, 7), ("pump", 0, 4)], rare),
            (&["rare", "pump"], &[("rare", 0, 4), ("pump", 0, 8)], 0.0),
            (&["rare", "common"], &[("rare", 0, 1), ("common", 0, 2)], common),
            // Stop words between them.
            (&["rare", "the", "the", "pump"], &[("rare", 0, 1), ("pump", 0, 2)], rare),
            // Not neighbors in the question.
            (&["rare", "x", "pump"], &[("rare", 0, 1), ("pump", 0, 2)], 0.0),
            // Not in the same section.
            (&["rare", "pump"], &[("rare", 3, 2), ("pump", 0, 3)], 0.0),
            (&["rare", "pump"], &[("rare", 0, 2), ("pump", 3, 3)], 0.0),
            (&["rare", "pump"], &[("rare", 0, 90), ("rare", 3, 2), ("pump", 3, 3)], rare),
            // Each pair once.
            (&["rare", "pump", "rare"], &[("rare", 0, 1), ("pump", 0, 2), ("rare", 0, 3)], rare),
            (&["rare", "pump"], &[("rare", 0, 1), ("pump", 0, 2), ("rare", 0, 9), ("pump", 0, 9)], rare),
            (&["rare", "pump", "x"], &[("rare", 0, 1), ("pump", 0, 2), ("x", 0, 3)], rare + 0.5 * idf("x")),
            // A word with itself, and with a part of its own.
            (&["rare", "rare"], &[("rare", 0, 1), ("rare", 0, 2)], 0.0),
            (&["rare"], &[("rare", 0, 1), ("part-rare", 0, 1)], 0.0),
            // The parts of a compound in the text are at the place of the compound.
            (&["rare", "pump"], &[(RARE_PART, 0, 5), ("pump", 0, 5)], rare),
            // Beyond PostgreSQL's last position nothing is known.
            (&["rare", "pump"], &[("rare", 0, 16383), ("pump", 0, 16383)], 0.0),
        ] {
            assert!((bonus(words, text) - expected).abs() < 1e-12, "{words:?} {text:?}");
        }
    }

    proptest! {
        #[test]
        fn equals_all_pairs_of_positions(
            first in prop::collection::vec((0..4_u16, 1..40_u16), 0..6), second in prop::collection::vec((0..4_u16, 1..40_u16), 0..6),
        ) {
            let text = |word: &'static str, places: &[(u16, u16)]| -> Vec<(&str, u16, u16)> {
                places.iter().map(|(section, position)| (word, *section, *position)).collect()
            };
            let near = first.iter().any(|(s, p)| second.iter().any(|(t, q)| s == t && p.abs_diff(*q) <= 3));
            let found = bonus(&["rare", "pump"], &[text("rare", &first), text("pump", &second)].concat());
            prop_assert_eq!(found > 0.0, near);
        }
    }
}
