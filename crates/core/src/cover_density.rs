//! PostgreSQL's `ts_rank_cd` for an OR of lexemes, computed without a search for covers.
//!
//! `ts_rank_cd` ranks by the shortest extents of a text that satisfy a query (Clarke and others, "Relevance
//! Ranking for One to Three Term Queries", 1999). Every single occurrence satisfies an OR, so the rank is the
//! sum of their weights. PostgreSQL evaluates the whole query for each occurrence, which takes 100 times as
//! long for a query of several dozen words.

use crate::bm25::weighted;
use crate::tsvector::{TsVector, Wanted};

/// Ranks chunks for one query.
#[derive(Clone, Debug)]
pub struct CoverDensity {
    wanted: Wanted,
    weights: [f64; 4],
}

impl CoverDensity {
    /// `lexemes` must be distinct; `weights` belong to the labels D, C, B, A.
    pub fn new(lexemes: Vec<Vec<u8>>, weights: [f32; 4]) -> CoverDensity {
        CoverDensity { wanted: Wanted::new(lexemes), weights: weights.map(f64::from) }
    }

    /// The rank with normalization 1, by the logarithm of the length. None if a chunk contains none of the
    /// lexemes.
    pub fn rank(&self, vector: &TsVector) -> Option<f64> {
        let mut sum = None;
        self.wanted.find(vector, |_, occurrences| {
            *sum.get_or_insert(0.0) += weighted(occurrences, self.weights);
        });
        // PostgreSQL's result is single precision.
        sum.map(|sum| f64::from((sum / (vector.length() as f64 + 1.0).ln()) as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::tests::build;
    use std::collections::BTreeMap;

    /// SELECT ts_rank_cd('{0.1,0.1,0.15,0.2}', 'a:1A b:2B,3,7C c:5 d:9A', 'a|b|x', 1), and for 'x'.
    #[test]
    fn gives_what_postgresql_gives() {
        let bytes = build(&BTreeMap::from([
            (b"a".to_vec(), vec![(3, 1)]),
            (b"b".to_vec(), vec![(2, 2), (0, 3), (1, 7)]),
            (b"c".to_vec(), vec![(0, 5)]),
            (b"d".to_vec(), vec![(3, 9)]),
        ]));
        let vector = TsVector::new(&bytes).unwrap();
        let rank = |lexemes: &[&str]| {
            let lexemes = lexemes.iter().map(|lexeme| lexeme.as_bytes().to_vec()).collect();
            CoverDensity::new(lexemes, [0.1, 0.1, 0.15, 0.2]).rank(&vector)
        };
        assert_eq!(rank(&["a", "b", "x"]), Some(f64::from(0.282_644_1_f32)));
        assert_eq!(rank(&["x"]), None);
    }
}
