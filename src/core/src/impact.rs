//! What the keyword index of kb_rag 0.2 held of a chunk, a GIN index: each lexeme, and a key for every level of frequency that it
//! reaches. Kept for one version because dumps of 0.2 name the function in an index, and as the comparator of the benchmark.

use crate::bm25::{Parameters, weighted};
use crate::tsvector::{self, Occurrences, TsVector};

/// The effective frequency at which a lexeme reaches level 1, 2 or 3.
const LEVELS: [f64; 3] = [1.5, 2.6, 4.5];

/// The key of chunks too large to store levels: they must always be examined.
const UNLEVELLED: &str = "\u{1}";

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::tests::build;
    use std::collections::BTreeMap;

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
