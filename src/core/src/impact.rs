//! How much a lexeme matters in a chunk, in a few levels that an inverted index can store.
//!
//! What a lexeme adds to a BM25 score, as a share of its bound, grows with how often it occurs relative to
//! the length of the chunk. In addition to each lexeme, the index stores a key for every level that the
//! lexeme reaches. A query for common words can then ask for the chunks where they matter. This is
//! impact-ordered indexing (Anh and Moffat, "Pruned query evaluation using pre-computed impacts", SIGIR 2006)
//! over an index that stores no scores.

use crate::bm25::{Corpus, Parameters, weighted};
use crate::tsvector::{self, Occurrences, TsVector};

/// The effective frequency at which a lexeme reaches level 1, 2 or 3.
const LEVELS: [f64; 3] = [1.5, 2.6, 4.5];

/// The number of levels, including 0: the lexeme occurs.
pub const LEVEL_COUNT: usize = LEVELS.len() + 1;

/// The key of chunks too large to store levels: they must always be examined.
pub const UNLEVELLED: &str = "\u{1}";

/// The key of a longer lexeme has no space for a level.
const MAX_LEXEME_BYTES: usize = tsvector::MAX_LEXEME_BYTES - 1;

/// What frequencies are measured against. The index and the bounds of a query must use the same scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// A typical length of a chunk, in words; at least 1. Bounds hold for any value, and are tightest near
    /// the mean.
    pub length: f64,
    /// The weight of an occurrence under each label, in the order D, C, B, A.
    pub weights: [f64; 4],
}

impl Scale {
    /// Occurrences relative to the length of the chunk: in a chunk of typical length they count as they are.
    fn effective_frequency(&self, occurrences: Occurrences, words: u32) -> f64 {
        let b = Parameters::default().b;
        weighted(occurrences, self.weights) / (1.0 - b + b * f64::from(words) / self.length)
    }
}

/// The key of a lexeme at a level. At level 0 it is the lexeme itself.
pub fn key(lexeme: &str, level: usize) -> String {
    match u8::try_from(level) {
        Ok(level @ 1..) => format!("{lexeme}{}", char::from(level)),
        _ => lexeme.to_string(),
    }
}

/// The keys of a chunk of `words` words, as the bytes of a tsvector without positions.
pub fn keys(vector: &TsVector, words: u32, scale: &Scale) -> Vec<u8> {
    let mut builder = tsvector::Builder::default();
    for (lexeme, occurrences) in vector.iter() {
        builder.push(lexeme, &[]);
        if lexeme.len() > MAX_LEXEME_BYTES {
            continue;
        }
        let frequency = scale.effective_frequency(occurrences, words);
        // Level suffixes are bytes that no lexeme of a text contains, so the keys come in order.
        for (level, _) in (1u8..).zip(LEVELS).filter(|(_, from)| frequency >= *from) {
            builder.push(lexeme, &[level]);
        }
    }
    // For chunks where the levels do not fit, and those where not even the mark for that fits beside the
    // lexemes.
    let unlevelled = |lexemes: bool| {
        let mut builder = tsvector::Builder::default();
        builder.push(UNLEVELLED.as_bytes(), &[]);
        vector.iter().filter(|_| lexemes).for_each(|(lexeme, _)| builder.push(lexeme, &[]));
        builder.finish()
    };
    builder
        .finish()
        .or_else(|| unlevelled(true))
        .or_else(|| unlevelled(false))
        .unwrap_or_else(|| tsvector::EMPTY.to_vec())
}

/// The most that a lexeme can add to a chunk's score if the chunk has it at exactly that level, by level.
pub fn bounds(
    lexeme: &[u8],
    idf: f64,
    parameters: &Parameters,
    corpus: &Corpus,
    scale: &Scale,
) -> [f64; LEVEL_COUNT] {
    let most = parameters.bound(idf);
    let mut bounds = [most; LEVEL_COUNT];
    if lexeme.len() > MAX_LEXEME_BYTES {
        return bounds;
    }
    // The score divides a frequency f by 1 - b + b * length / mean, and the scale by an expression of the
    // same form. Where the first can be less than the second, the effective frequency in the score can exceed
    // what the level says.
    let (b, own_b) = (Parameters::default().b, parameters.b);
    let short = (1.0 - own_b) / (1.0 - b);
    let long = if corpus.mean_length > 0.0 { own_b * scale.length / (b * corpus.mean_length) } else { 0.0 };
    let ratio = short.min(long);
    for (bound, below) in bounds.iter_mut().zip(LEVELS) {
        *bound = most * below / (below + parameters.k1 * ratio);
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::{Scorer, Term};
    use crate::tsvector::tests::build;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn the_level_bounds_the_score(
            labels in prop::collection::vec(0u16..4, 1..30),
            others in 0u32..600,
            (k1, b) in (0.0f64..3.0, 0.0f64..=1.0),
            mean_length in 1.0f64..500.0,
            length in 1.0f64..500.0,
            (heading, title) in (0.0f64..5.0, 0.0f64..5.0),
        ) {
            let weights = [1.0, 1.0, heading, title];
            let positions: Vec<(u16, u16)> = labels.iter().zip(1..).map(|(label, p)| (*label, p)).collect();
            let bytes = build(&BTreeMap::from([(b"x".to_vec(), positions)]));
            let vector = TsVector::new(&bytes).unwrap();
            let words = labels.len() as u32 + others;
            let (parameters, corpus) = (Parameters { k1, b, weights }, Corpus { chunks: 100.0, mean_length });
            let scale = Scale { length, weights };
            let key_bytes = keys(&vector, words, &scale);
            let found = TsVector::new(&key_bytes).unwrap();
            let level = (0..LEVEL_COUNT).rev().find(|level| found.find(key("x", *level).as_bytes()).is_some()).unwrap();
            let score = Scorer::new(vec![Term { lexeme: b"x".to_vec(), idf: 2.0 }], corpus, parameters)
                .score(&vector, words);
            let bounds = bounds(b"x", 2.0, &parameters, &corpus, &scale);
            prop_assert!(score <= bounds[level] * (1.0 + 1e-12), "{score} {level} {bounds:?}");
            prop_assert!(bounds.windows(2).all(|pair| pair[0] <= pair[1]));
        }
    }

    #[test]
    fn keys_come_in_the_order_of_a_tsvector() {
        let positions = |count: u16| (1..=count).map(|p| (0, p)).collect::<Vec<_>>();
        let long = vec![b'z'; 2046];
        let bytes = build(&BTreeMap::from([
            (b"ab".to_vec(), positions(2)),
            (b"abc".to_vec(), positions(5)),
            (b"b".to_vec(), positions(1)),
            (long.clone(), positions(9)),
        ]));
        let scale = Scale { length: 17.0, weights: [1.0; 4] };
        let keys = keys(&TsVector::new(&bytes).unwrap(), 17, &scale);
        let keys: Vec<&[u8]> = TsVector::new(&keys).unwrap().iter().map(|(key, _)| key).collect();
        assert_eq!(
            keys[..7],
            [b"ab".as_slice(), b"ab\x01", b"abc", b"abc\x01", b"abc\x02", b"abc\x03", b"b"]
        );
        assert_eq!(keys[7..], [long.as_slice()]);
        assert!(keys.is_sorted());
    }

    #[test]
    fn a_chunk_too_large_for_levels_says_so() {
        let lexemes =
            (0..120_000).map(|n| (format!("{n:07}").into_bytes(), vec![(0, 1), (0, 2), (0, 3)])).collect();
        let bytes = build(&lexemes);
        let keys = keys(&TsVector::new(&bytes).unwrap(), 1, &Scale { length: 100.0, weights: [1.0; 4] });
        let keys = TsVector::new(&keys).unwrap();
        assert!(keys.find(UNLEVELLED.as_bytes()).is_some());
        assert_eq!(keys.iter().count(), 120_001);
    }

    #[test]
    fn a_chunk_without_room_for_anything_is_looked_at_always() {
        // As many bytes of lexemes as a tsvector can hold.
        let mut lexemes: BTreeMap<Vec<u8>, Vec<(u16, u16)>> =
            (0..512).map(|n| (format!("{n:x>2046}").into_bytes(), vec![])).collect();
        lexemes.insert(vec![b'y'; 1022], vec![]);
        let bytes = build(&lexemes);
        let keys = keys(&TsVector::new(&bytes).unwrap(), 1, &Scale { length: 100.0, weights: [1.0; 4] });
        let keys: Vec<&[u8]> = TsVector::new(&keys).unwrap().iter().map(|(key, _)| key).collect();
        assert_eq!(keys, [UNLEVELLED.as_bytes()]);
    }
}
