//! How much of a question a chunk holds.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::QueryWord;
use super::query::marked;
use crate::bm25::inverse_document_frequency;
use crate::tsvector::{TsVector, Wanted};

/// The words of a question, each with the lexemes that stand for it in any analyzer.
#[derive(Clone, Debug)]
pub struct Coverage {
    wanted: Wanted,
    /// The words that each of these lexemes stands for.
    found: Vec<Found>,
    /// How many words there are.
    words: usize,
    /// The sum of the inverse document frequencies of all words.
    total: f64,
}

/// The words that a lexeme stands for.
#[derive(Clone, Debug, Default)]
struct Found {
    /// Words, with what they count if a chunk holds it, and whether it is the whole word and not a part.
    words: Vec<(usize, f64, bool)>,
    /// Whether it has a digit.
    is_code: bool,
    /// Whether it also names few chunks.
    is_rare: bool,
}

/// The share of a word, by the lexeme that a chunk holds of it, and whether that is the whole word.
type Forms = BTreeMap<String, (f64, bool)>;

/// The shares of a question that a chunk holds: of the inverse document frequency of its words, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// That of all words that it holds. 1 for a question without words.
    pub words: f64,
    /// That of the numbers and codes among them: words with a digit.
    pub codes: f64,
    /// That of those codes that at most 3 chunks have; numbers of one or two digits are none.
    pub rare_codes: f64,
}

/// At most this many chunks have a rare code: an overlap repeats it.
const RARE: f64 = 3.0;
/// A number of fewer digits is no rare code: it may count something.
const MIN_DIGITS: usize = 3;

impl Held {
    /// Everything, but no number and no code: what is taken for granted if it is not known.
    pub const ALL: Held = Held { words: 1.0, codes: 0.0, rare_codes: 0.0 };
}

impl Coverage {
    /// Words at the same place are one word as several analyzers read it. Neighbors that are joined are none. A word counts its
    /// inverse document frequency among `chunks`: that of its rarest lexeme, as the analyzer reads it that makes it least rare. One
    /// that nobody writes counts most. A chunk that has one of its lexemes, or a part, holds no more of it than that counts.
    pub fn new(words: &[QueryWord], chunks: f64, frequency: impl Fn(&str) -> f64) -> Coverage {
        let frequency = |lexeme: &str| frequency(lexeme) + frequency(&marked(lexeme));
        let idf = |lexeme: &str| inverse_document_frequency(chunks, frequency(lexeme));
        let mut at: BTreeMap<u32, Vec<&QueryWord>> = BTreeMap::new();
        for word in words {
            at.entry(word.at.unwrap_or_default()).or_default().push(word);
        }
        at.remove(&0);
        let mut distinct: Vec<(Forms, f64)> = Vec::new();
        let mut seen = HashSet::new();
        for readings in at.values() {
            let of_reading =
                |word: &&QueryWord| word.lexemes.iter().map(|lexeme| idf(lexeme)).reduce(f64::max);
            let weight = readings.iter().filter_map(of_reading).reduce(f64::min);
            // A stop word that may be a name, such as the A of vitamin A, has a part alone.
            let rarest =
                || readings.iter().flat_map(|word| word.all()).map(|part| idf(part)).reduce(f64::max);
            let weight = weight.or_else(rarest).unwrap_or_default();
            // A whole word last: it may be a part of another reading.
            let parts = readings.iter().flat_map(|word| &word.parts).map(|part| (part, false));
            let wholes = readings.iter().flat_map(|word| word.lexemes.iter().chain(&word.joined));
            let all = parts.chain(wholes.map(|whole| (whole, true)));
            let forms: Forms =
                all.map(|(lexeme, is_whole)| (lexeme.clone(), (idf(lexeme).min(weight), is_whole))).collect();
            if !forms.is_empty() && seen.insert(forms.keys().cloned().collect::<Vec<String>>()) {
                distinct.push((forms, weight));
            }
        }
        let mut found: HashMap<String, Found> = HashMap::new();
        for (word, (forms, _)) in distinct.iter().enumerate() {
            for (lexeme, (counts, is_whole)) in forms {
                let is_rare = is_name(lexeme) && frequency(lexeme) <= RARE;
                for form in [lexeme.clone(), marked(lexeme)] {
                    let found = found.entry(form).or_default();
                    found.words.push((word, *counts, *is_whole));
                    found.is_code = lexeme.contains(|c: char| c.is_numeric());
                    found.is_rare = is_rare;
                }
            }
        }
        let (lexemes, found) = found.into_iter().map(|(lexeme, found)| (lexeme.into_bytes(), found)).unzip();
        Coverage {
            wanted: Wanted::new(lexemes),
            found,
            words: distinct.len(),
            total: distinct.iter().map(|(_, weight)| weight).sum(),
        }
    }

    /// The shares of the question that a chunk holds.
    pub fn of(&self, vector: &TsVector) -> Held {
        self.held(vector, false)
    }

    /// The same without words of which it has a part only: 24 of E24.
    pub fn of_wholes(&self, vector: &TsVector) -> Held {
        self.held(vector, true)
    }

    fn held(&self, vector: &TsVector, wholes: bool) -> Held {
        if self.total <= 0.0 {
            return Held::ALL;
        }
        let mut words = vec![0.0_f64; self.words];
        let (mut codes, mut rare) = (words.clone(), words.clone());
        self.wanted.find(vector, |place, _| {
            let Some(found) = self.found.get(place) else { return };
            for (word, counts, _) in found.words.iter().filter(|(_, _, is_whole)| *is_whole || !wholes) {
                let codes = codes.get_mut(*word).filter(|_| found.is_code);
                let rare = rare.get_mut(*word).filter(|_| found.is_rare);
                let held = words.get_mut(*word).into_iter().chain(codes).chain(rare);
                held.for_each(|held| *held = held.max(*counts));
            }
        });
        let share = |held: Vec<f64>| (held.iter().sum::<f64>() / self.total).min(1.0);
        Held { words: share(words), codes: share(codes), rare_codes: share(rare) }
    }
}

/// Whether a word with digits names something, and does not only count it.
fn is_name(word: &str) -> bool {
    let digits = word.chars().filter(|c| c.is_numeric()).count();
    digits >= MIN_DIGITS || digits > 0 && word.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::tests::build;
    use proptest::prelude::*;

    fn word(at: u32, lexemes: &[&str], parts: &[&str]) -> QueryWord {
        let owned = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        QueryWord { at: Some(at), lexemes: owned(lexemes), parts: owned(parts), joined: Vec::new() }
    }

    fn frequency(lexeme: &str) -> f64 {
        match lexeme {
            "rare" => 1.0,
            "common" => 500.0,
            "part" => 100.0,
            _ => 0.0,
        }
    }

    fn idf(lexeme: &str) -> f64 {
        inverse_document_frequency(1000.0, frequency(lexeme))
    }

    fn held(words: &[QueryWord], chunk: &[&str]) -> f64 {
        held_by(words, chunk).words
    }

    fn held_by(words: &[QueryWord], chunk: &[&str]) -> Held {
        let lexemes = chunk.iter().map(|lexeme| (lexeme.as_bytes().to_vec(), vec![(0, 1)])).collect();
        let bytes = build(&lexemes);
        Coverage::new(words, 1000.0, frequency).of(&TsVector::new(&bytes).expect("a vector"))
    }

    #[test]
    fn a_word_is_held_in_any_of_its_forms() {
        let words = [word(1, &["rare"], &["part"]), word(1, &["rares"], &[]), word(2, &["common"], &[])];
        let total = idf("rare").min(idf("rares")) + idf("common");
        for (chunk, counts) in [
            (&["rare"][..], total - idf("common")),
            (&["rares"], total - idf("common")),
            (&["rare\u{1}"], total - idf("common")),
            (&["part"], idf("part")),
            (&["part", "rare"], total - idf("common")),
            (&["common"], idf("common")),
            (&["other"], 0.0),
            (&["part\u{1}", "other"], idf("part")),
            (&["common", "rare"], total),
        ] {
            assert!((held(&words, chunk) - counts / total).abs() < 1e-12, "{chunk:?}");
        }
    }

    #[test]
    fn words_with_a_digit_are_codes() {
        let words = [word(1, &["e24"], &["e", "24"]), word(2, &["rare"], &[])];
        let total = idf("never") + idf("rare");
        assert_eq!(held_by(&words, &["rare"]).codes, 0.0);
        assert_eq!(held_by(&words, &["e"]).codes, 0.0);
        assert_eq!(held_by(&words, &["rare", "24\u{1}"]).codes, idf("never") / total);
        let codes = idf("never") / total;
        assert_eq!(held_by(&words, &["rare", "e24"]), Held { words: 1.0, codes, rare_codes: codes });
        assert_eq!(held_by(&[], &["e24"]), Held::ALL);
    }

    /// K-1105: k is in every chunk.
    #[test]
    fn a_word_of_several_lexemes_is_as_rare_as_the_rarest() {
        let words = [word(1, &["common", "rare"], &[]), word(2, &["never"], &[])];
        let total = idf("rare") + idf("never");
        assert_eq!(held(&words, &["common"]), idf("common") / total);
        assert_eq!(held(&words, &["rare"]), idf("rare") / total);
    }

    /// How do I …: the word counts no more than the letter.
    #[test]
    fn a_stop_word_counts_what_its_part_counts() {
        let words = [word(1, &[], &["common"]), word(2, &["rare"], &[])];
        let total = idf("common") + idf("rare");
        assert_eq!(held(&words, &["rare"]), idf("rare") / total);
        assert_eq!(held(&words, &["common\u{1}"]), idf("common") / total);
    }

    #[test]
    fn a_part_is_no_whole() {
        let joined = vec!["ab1234".to_string()];
        let words =
            [word(1, &["e24"], &["e", "24"]), QueryWord { joined, ..word(2, &["ab-1234"], &["ab", "1234"]) }];
        let coverage = Coverage::new(&words, 1000.0, |_| 0.0);
        let held = |lexeme: &str| {
            let bytes = build(&[(lexeme.as_bytes().to_vec(), vec![(0, 1)])].into());
            coverage.of_wholes(&TsVector::new(&bytes).expect("a vector"))
        };
        for (lexeme, share) in
            [("e24", 0.5), ("e24\u{1}", 0.5), ("24", 0.0), ("24\u{1}", 0.0), ("ab1234", 0.5), ("1234", 0.0)]
        {
            let expected = Held { words: share, codes: share, rare_codes: share };
            assert_eq!(held(lexeme), expected, "{lexeme:?}");
        }
    }

    #[test]
    fn codes_of_few_chunks_are_rare() {
        let rare =
            |lexeme: &str, chunks: f64| {
                let coverage = Coverage::new(&[word(1, &[lexeme], &[])], 1000.0, |asked: &str| {
                    if asked == lexeme { chunks } else { 0.0 }
                });
                let bytes = build(&[(lexeme.as_bytes().to_vec(), vec![(0, 1)])].into());
                coverage.of(&TsVector::new(&bytes).expect("a vector")).rare_codes
            };
        for (lexeme, chunks, expected) in [
            ("e24", 1.0, 1.0),
            ("param_37", 3.0, 1.0),
            ("1105", 2.0, 1.0),
            ("e24", 4.0, 0.0),
            ("24", 1.0, 0.0),
            ("heron", 1.0, 0.0),
        ] {
            assert_eq!(rare(lexeme, chunks), expected, "{lexeme} {chunks}");
        }
    }

    #[test]
    fn words_that_nobody_writes_count_most() {
        let words = [word(1, &["rare"], &[]), word(2, &["never"], &[])];
        assert_eq!(held(&words, &["rare"]), idf("rare") / (idf("rare") + idf("never")));
    }

    #[test]
    fn a_word_that_comes_twice_counts_once() {
        let words = [word(1, &["rare"], &[]), word(3, &["rare"], &[]), word(5, &["common"], &[])];
        assert_eq!(held(&words, &["rare"]), held(&[words[0].clone(), words[2].clone()], &["rare"]));
    }

    #[test]
    fn neighbors_and_questions_without_words_are_not_counted() {
        let joined = QueryWord { joined: vec!["rare".into()], ..QueryWord::default() };
        assert_eq!(held(&[joined.clone(), word(1, &["common"], &[])], &["common"]), 1.0);
        assert_eq!(held(&[joined], &["common"]), 1.0);
        assert_eq!(held(&[], &["common"]), 1.0);
    }

    proptest! {
        #[test]
        fn more_lexemes_hold_more(
            words in prop::collection::vec(
                (1u32..6, prop::collection::vec("[a-e]", 0..3), prop::collection::vec("[a-h]", 0..3)), 0..6),
            chunk in prop::collection::btree_set("[a-h]\u{1}?", 0..6),
            more in "[a-h]",
        ) {
            let owned: Vec<QueryWord> = words
                .into_iter()
                .map(|(at, lexemes, parts)| QueryWord { at: Some(at), lexemes, parts, joined: Vec::new() })
                .collect();
            let mut texts: Vec<&str> = chunk.iter().map(String::as_str).collect();
            let few = held(&owned, &texts);
            prop_assert!((0.0..=1.0).contains(&few));
            texts.push(&more);
            prop_assert!(held(&owned, &texts) >= few);
            let every: Vec<&String> = owned.iter().flat_map(QueryWord::all).collect();
            texts.extend(every.iter().map(|lexeme| lexeme.as_str()));
            let all = held(&owned, &texts);
            let has_own = owned.iter().all(|word| !word.lexemes.is_empty());
            prop_assert!(!has_own || (all - 1.0).abs() < 1e-9);
        }
    }
}
