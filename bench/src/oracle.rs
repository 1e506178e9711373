//! The correct answers, computed without the extension: BM25 over every chunk, and the fusion of two lists.

use std::collections::HashMap;

use uuid::Uuid;

use crate::corpus::Corpus;
use crate::queries::frequencies;

/// The parameters of BM25 that a base has unless others are given.
pub const K1: f64 = 1.2;
pub const B: f64 = 0.75;
/// The default of kb_hybrid_search.
const RRF_K: f64 = 10.0;

/// BM25 over all passages of a base, computed one by one.
pub struct Bm25<'a> {
    passages: &'a [Vec<u32>],
    chunks: &'a [Uuid],
    frequencies: Vec<f64>,
    mean_length: f64,
}

impl<'a> Bm25<'a> {
    /// Over as many passages as there are chunks.
    pub fn new(corpus: &'a Corpus, chunks: &'a [Uuid]) -> Bm25<'a> {
        let passages = corpus.passages(chunks.len());
        Bm25 {
            passages,
            chunks,
            frequencies: frequencies(corpus, chunks.len()).into_iter().map(f64::from).collect(),
            mean_length: passages.iter().map(Vec::len).sum::<usize>() as f64 / passages.len() as f64,
        }
    }

    /// The best `count` passages, best first, ties by id.
    pub fn best(&self, query: &[u32], count: usize) -> Vec<(Uuid, f64)> {
        // The position of each word in the query, from 1; 0 for all other words.
        let mut places = vec![0u8; self.frequencies.len()];
        for (word, place) in query.iter().zip(1..) {
            places[*word as usize] = place;
        }
        let idfs: Vec<f64> = query.iter().map(|word| self.idf(*word)).collect();
        let mut occurrences = vec![0u32; query.len() + 1];
        let score = |passage: &Vec<u32>| {
            occurrences.fill(0);
            passage.iter().for_each(|word| occurrences[usize::from(places[*word as usize])] += 1);
            let norm = K1 * (1.0 - B + B * passage.len() as f64 / self.mean_length);
            let of_word =
                |(idf, tf): (&f64, &u32)| idf * f64::from(*tf) * (K1 + 1.0) / (f64::from(*tf) + norm);
            idfs.iter().zip(&occurrences[1..]).map(of_word).sum::<f64>()
        };
        let scores = self.passages.iter().map(score);
        let mut found: Vec<(Uuid, f64)> =
            self.chunks.iter().copied().zip(scores).filter(|(_, score)| *score > 0.0).collect();
        let better = |a: &(Uuid, f64), b: &(Uuid, f64)| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0));
        if found.len() > count {
            found.select_nth_unstable_by(count, better);
            found.truncate(count);
        }
        found.sort_by(better);
        found
    }

    fn idf(&self, word: u32) -> f64 {
        let all = self.passages.len() as f64;
        let frequency = self.frequencies.get(word as usize).copied().unwrap_or_default();
        (1.0 + (all.max(frequency) - frequency + 0.5) / (frequency + 0.5)).ln()
    }
}

/// Reciprocal rank fusion of two lists with equal weights, best first.
pub fn reciprocal_rank_fusion(a: &[Uuid], b: &[Uuid]) -> Vec<Uuid> {
    let mut scores: HashMap<Uuid, f64> = HashMap::new();
    for list in [a, b] {
        for (at, id) in list.iter().enumerate() {
            *scores.entry(*id).or_default() += 1.0 / (RRF_K + at as f64 + 1.0);
        }
    }
    let mut fused: Vec<(Uuid, f64)> = scores.into_iter().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    fused.into_iter().map(|(id, _)| id).collect()
}

/// The share of `wanted` that is among `found`.
pub fn overlap(found: &[Uuid], wanted: &[Uuid]) -> f64 {
    if wanted.is_empty() {
        return 1.0;
    }
    wanted.iter().filter(|id| found.contains(id)).count() as f64 / wanted.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bm25_is_the_formula() {
        let passages = [vec![0, 1, 1], vec![0], vec![2, 2]];
        let chunks = [1, 2, 3].map(Uuid::from_u128);
        let oracle =
            Bm25 { passages: &passages, chunks: &chunks, frequencies: vec![2.0, 1.0, 1.0], mean_length: 2.0 };
        let best = oracle.best(&[1, 0], 5);
        assert_eq!(best.iter().map(|(id, _)| *id).collect::<Vec<_>>(), chunks[..2]);
        let idf = |df: f64| (1.0 + (3.0 - df + 0.5) / (df + 0.5)).ln();
        let saturated = |tf: f64, length: f64| tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / 2.0));
        let first = idf(1.0) * saturated(2.0, 3.0) + idf(2.0) * saturated(1.0, 3.0);
        assert!((best[0].1 - first).abs() < 1e-12);
        assert_eq!(oracle.best(&[1, 0], 1).len(), 1);
    }

    #[test]
    fn fusion_counts_both_lists() {
        let [a, b, c] = [1, 2, 3].map(Uuid::from_u128);
        assert_eq!(reciprocal_rank_fusion(&[a, b], &[b, c]), [b, a, c]);
        assert_eq!(overlap(&[a, b], &[b, c]), 0.5);
        assert_eq!(overlap(&[a], &[]), 1.0);
    }
}
