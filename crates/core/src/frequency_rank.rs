//! The result of PostgreSQL's `ts_rank` for an OR of lexemes, in time bounded by the length of the chunk.
//!
//! `ts_rank` adds up, for each lexeme of the query, the weights of its occurrences divided by the squares of their ordinal
//! numbers; the greatest weight counts as the first (`calc_rank_or` in PostgreSQL's `tsearch/tsrank.c`). PostgreSQL sorts the
//! lexemes of the query and looks each of them up, for every chunk again.

use crate::tsvector::{TsVector, Wanted};

/// The sum of 1/n² over all n: what an infinite number of occurrences of weight 1 adds.
const ALL_OCCURRENCES: f64 = 1.644_934_066_85;

/// Ranks chunks for one query. The precision of each step is that of PostgreSQL, so that the results are equal.
#[derive(Clone, Debug)]
pub struct FrequencyRank {
    wanted: Wanted,
    lexemes: f32,
    weights: [f32; 4],
}

impl FrequencyRank {
    /// `lexemes` are distinct and sorted; `weights` are those of the labels D, C, B, A.
    pub fn new(lexemes: Vec<Vec<u8>>, weights: [f32; 4]) -> FrequencyRank {
        FrequencyRank { lexemes: lexemes.len() as f32, wanted: Wanted::new(lexemes), weights }
    }

    /// The rank with normalization 1, by the logarithm of the length; None where a chunk has none of the lexemes.
    pub fn rank(&self, vector: &TsVector) -> Option<f64> {
        let mut sum: Option<f32> = None;
        self.wanted.find_labels(vector, |_, labels| {
            let of_lexeme = f64::from(self.of_occurrences(labels)) / ALL_OCCURRENCES;
            let sum = sum.get_or_insert(0.0);
            *sum = (f64::from(*sum) + of_lexeme) as f32;
        });
        let length = (vector.length() as f64 + 1.0).ln() / std::f64::consts::LN_2;
        sum.map(|sum| f64::from((f64::from(sum / self.lexemes) / length) as f32))
    }

    fn of_occurrences(&self, labels: &mut dyn Iterator<Item = usize>) -> f32 {
        let (mut sum, mut greatest, mut square_of_greatest) = (0.0, -1.0, 1.0);
        for (place, label) in labels.enumerate() {
            let weight = self.weights.get(label).copied().unwrap_or_default();
            let square = ((place + 1) * (place + 1)) as f32;
            sum += weight / square;
            if weight > greatest {
                (greatest, square_of_greatest) = (weight, square);
            }
        }
        greatest + sum - greatest / square_of_greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsvector::tests::build;
    use std::collections::BTreeMap;

    /// SELECT ts_rank('{0.1,0.1,0.15,0.2}', 'a:1A b:2,3B,7C c:5 d:9A e', 'a|b|e|x', 1), and for 'b' and 'x'.
    #[test]
    fn gives_what_postgresql_gives() {
        let bytes = build(&BTreeMap::from([
            (b"a".to_vec(), vec![(3, 1)]),
            (b"b".to_vec(), vec![(0, 2), (2, 3), (1, 7)]),
            (b"c".to_vec(), vec![(0, 5)]),
            (b"d".to_vec(), vec![(3, 9)]),
            (b"e".to_vec(), vec![]),
        ]));
        let vector = TsVector::new(&bytes).unwrap();
        let rank = |lexemes: &[&str]| {
            let lexemes = lexemes.iter().map(|lexeme| lexeme.as_bytes().to_vec()).collect();
            FrequencyRank::new(lexemes, [0.1, 0.1, 0.15, 0.2]).rank(&vector)
        };
        assert_eq!(rank(&["a", "b", "e", "x"]), Some(f64::from(0.028_426_223_f32)));
        assert_eq!(rank(&["b"]), Some(f64::from(0.052_912_176_f32)));
        assert_eq!(rank(&["x"]), None);
    }
}
