//! BM25 (Robertson and others, "Okapi at TREC-3", 1994) with Lucene's inverse document frequency, over a `tsvector`.
//!
//! score = Σ over the query's lexemes of idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean length)), where
//! idf = ln(1 + (chunks − df + 0.5) / (df + 0.5)) and tf counts an occurrence by the weight of its label.

use crate::tsvector::{Occurrences, TsVector, Wanted};

/// The free parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How quickly further occurrences stop counting: at least 0, usually 1.2.
    pub k1: f64,
    /// How strongly a long text is penalized: 0 to 1, usually 0.75.
    pub b: f64,
    /// The weight of an occurrence under each label, in the order D, C, B, A.
    pub weights: [f64; 4],
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters { k1: 1.2, b: 0.75, weights: [1.0; 4] }
    }
}

impl Parameters {
    /// The length norm for the chunks of a corpus.
    pub(crate) fn norm(&self, corpus: &Corpus) -> Norm {
        let Parameters { k1, b, .. } = *self;
        let mean = corpus.mean_length;
        if mean > 0.0 {
            Norm { constant: k1 * (1.0 - b), by_length: k1 * b / mean }
        } else {
            Norm { constant: k1, by_length: 0.0 }
        }
    }

    /// The most that a lexeme with this inverse document frequency can add to a chunk's score.
    pub fn bound(&self, idf: f64) -> f64 {
        idf * (self.k1 + 1.0)
    }
}

/// The term of the denominator of BM25 that depends on the length of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm {
    constant: f64,
    by_length: f64,
}

impl Norm {
    /// The norm of a chunk with `length` words.
    #[inline]
    pub fn for_length(&self, length: u32) -> f64 {
        self.constant + self.by_length * converted(length)
    }
}

/// Converts a length or a number of occurrences, neither of which exceeds `i32::MAX`: processors convert several signed numbers
/// at once.
#[inline]
pub(crate) fn converted(number: u32) -> f64 {
    f64::from((number & i32::MAX as u32) as i32)
}

/// What a lexeme adds to the score of a chunk. `factor` is the most that it can add ([`Parameters::bound`]), `frequency` its
/// weighted occurrences, above 0, and `norm` is that of its length ([`Norm::for_length`]).
///
/// A multiple of 2^-44 above 0. Sums below 512 are therefore the same to the last bit in whatever order lexemes are added, so
/// that chunks with equal scores have them on every path of a search.
#[inline]
pub(crate) fn contribution(factor: f64, frequency: f64, norm: f64) -> f64 {
    // Numbers from 256 to 512 are multiples of 2^-44: adding one rounds.
    const ROUND: f64 = 384.0;
    const MIN_CONTRIBUTION: f64 = 1.0 / (1u64 << 44) as f64;
    factor * frequency / (frequency + norm) + (ROUND + MIN_CONTRIBUTION) - ROUND
}

/// Statistics of the corpus that the chunks belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corpus {
    /// The number of chunks.
    pub chunks: f64,
    /// Their mean length in words.
    pub mean_length: f64,
}

/// A lexeme of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As PostgreSQL spells it.
    pub lexeme: Vec<u8>,
    /// Its inverse document frequency.
    pub idf: f64,
}

/// Lucene's inverse document frequency of a lexeme that `frequency` of `chunks` contain. It is above 0 even
/// where stale statistics say that more chunks contain the lexeme than exist.
pub fn inverse_document_frequency(chunks: f64, frequency: f64) -> f64 {
    let frequency = frequency.max(0.0);
    (1.0 + (chunks.max(frequency) - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// Occurrences, counted by the weight of their label.
pub(crate) fn weighted(occurrences: Occurrences, weights: [f64; 4]) -> f64 {
    occurrences.iter().zip(weights).map(|(count, weight)| f64::from(*count) * weight).sum()
}

/// Scores chunks for one query.
#[derive(Clone, Debug)]
pub struct Scorer {
    wanted: Wanted,
    /// The most that each term can add.
    factors: Vec<f64>,
    corpus: Corpus,
    parameters: Parameters,
}

impl Scorer {
    /// `terms` are distinct.
    pub fn new(terms: Vec<Term>, corpus: Corpus, parameters: Parameters) -> Scorer {
        let (lexemes, factors) =
            terms.into_iter().map(|term| (term.lexeme, parameters.bound(term.idf))).unzip();
        Scorer { wanted: Wanted::new(lexemes), factors, corpus, parameters }
    }

    /// The score of a chunk of `length` words; 0 if it contains none of the terms.
    pub fn score(&self, vector: &TsVector, length: u32) -> f64 {
        let norm = self.parameters.norm(&self.corpus).for_length(length);
        let mut score = 0.0;
        self.wanted.find(vector, |place, occurrences| {
            let tf = weighted(occurrences, self.parameters.weights);
            if let (true, Some(factor)) = (tf > 0.0, self.factors.get(place)) {
                score += contribution(*factor, tf, norm);
            }
        });
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::tests::build;
    use std::collections::BTreeMap;

    /// The formula, applied word by word.
    fn oracle(texts: &[&str], query: &str) -> Vec<f64> {
        let words: Vec<Vec<&str>> = texts.iter().map(|text| text.split(' ').collect()).collect();
        let n = texts.len() as f64;
        let mean = words.iter().map(Vec::len).sum::<usize>() as f64 / n;
        let score = |text: &Vec<&str>| {
            query
                .split(' ')
                .map(|term| {
                    let df = words.iter().filter(|w| w.contains(&term)).count() as f64;
                    let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                    let tf = text.iter().filter(|w| **w == term).count() as f64;
                    idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * text.len() as f64 / mean))
                })
                .sum::<f64>()
        };
        words.iter().map(score).collect()
    }

    fn vector_of(text: &str) -> Vec<u8> {
        let mut lexemes: BTreeMap<Vec<u8>, Vec<(u16, u16)>> = BTreeMap::new();
        for (position, word) in text.split(' ').enumerate() {
            lexemes.entry(word.as_bytes().to_vec()).or_default().push((0, position as u16 + 1));
        }
        build(&lexemes)
    }

    #[test]
    fn equals_the_formula() {
        let texts = ["a b c a", "a a a a a a d", "c d e f", "b", "x y z x y z x y z"];
        let query = "a d x q";
        let n = texts.len() as f64;
        let mean_length = texts.iter().map(|t| t.split(' ').count()).sum::<usize>() as f64 / n;
        let terms = query
            .split(' ')
            .map(|lexeme| Term {
                lexeme: lexeme.into(),
                idf: inverse_document_frequency(
                    n,
                    texts.iter().filter(|t| t.split(' ').any(|w| w == lexeme)).count() as f64,
                ),
            })
            .collect();
        let scorer = Scorer::new(terms, Corpus { chunks: n, mean_length }, Parameters::default());
        for (text, expected) in texts.iter().zip(oracle(&texts, query)) {
            let bytes = vector_of(text);
            let score = scorer.score(&TsVector::new(&bytes).unwrap(), text.split(' ').count() as u32);
            assert!((score - expected).abs() < 1e-12, "{text}: {score} for {expected}");
            assert!(score <= scorer.factors.iter().sum());
        }
    }

    #[test]
    fn a_label_counts_by_its_weight() {
        let bytes = build(&BTreeMap::from([(b"x".to_vec(), vec![(3, 1), (0, 2)])]));
        let score = |weights| {
            let terms = vec![Term { lexeme: b"x".to_vec(), idf: 1.0 }];
            let corpus = Corpus { chunks: 10.0, mean_length: 2.0 };
            Scorer::new(terms, corpus, Parameters { weights, ..Parameters::default() })
                .score(&TsVector::new(&bytes).unwrap(), 2)
        };
        let plain: f64 = 2.0 * 2.2 / (2.0 + 1.2);
        assert!((score([1.0; 4]) - plain).abs() < 1e-12);
        let title_twice: f64 = 3.0 * 2.2 / (3.0 + 1.2);
        assert!((score([1.0, 1.0, 1.0, 2.0]) - title_twice).abs() < 1e-12);
    }

    #[test]
    fn sums_are_the_same_in_any_order_and_above_0() {
        let mut parts: Vec<f64> =
            (1..400).map(|n| contribution(2.2 / f64::from(n), 1.0, f64::from(n % 7))).collect();
        let sum: f64 = parts.iter().sum();
        parts.reverse();
        assert_eq!(sum.to_bits(), parts.iter().sum::<f64>().to_bits());
        parts.rotate_left(123);
        assert_eq!(sum.to_bits(), parts.iter().sum::<f64>().to_bits());
        assert!(contribution(1e-12, 1e-6, 2.0) > 0.0);
        assert!((contribution(2.5, 3.0, 1.1) - 2.5 * 3.0 / 4.1).abs() < 1e-12);
    }

    #[test]
    fn the_frequency_is_positive_whatever_the_statistics() {
        assert!((inverse_document_frequency(10.0, 0.0) - (1.0f64 + 10.5 / 0.5).ln()).abs() < 1e-12);
        for (chunks, frequency) in [(0.0, 0.0), (10.0, 10.0), (5.0, 20.0), (5.0, -1.0)] {
            assert!(inverse_document_frequency(chunks, frequency) > 0.0);
        }
    }
}
