//! Generated text and vectors with the statistics that matter to a search engine.
//!
//! A passage is the text of one chunk. Words follow Zipf's law in Mandelbrot's form, share ∝ 1 / (rank + 10):
//! the shift stands for the stop words that a text search configuration removes. A word that has occurred in
//! a passage is likely to occur in it again (burstiness). Vectors lie in clusters in 32 of their 384
//! dimensions, with some noise in all. Like the vectors of a sentence encoder, and unlike uniform ones, they
//! have neighbors that are clearly nearer than the rest.

use crate::random::Random;

/// Dimensions of the vectors.
pub const DIMENSIONS: usize = 384;

const SEED: u64 = 2026;
const VOCABULARY: usize = 50_000;
const SHIFT: f64 = 10.0;
const BURST: f64 = 0.2;
/// Passages have 80 to 219 words.
const MIN_WORDS: usize = 80;
const WORDS_RANGE: usize = 140;
const CLUSTERS: usize = 500;
const LATENT: usize = 32;
const SPREAD: f32 = 0.7;
const NOISE: f32 = 0.05;

/// The independent streams of random numbers.
const TEXT: u64 = 1 << 40;
const VECTOR: u64 = 2 << 40;
const QUERY: u64 = 3 << 40;
const SHAPE: u64 = 4 << 40;

/// The first `len` passages of an endless sequence, as words. A smaller corpus is the beginning of a larger one.
pub struct Corpus {
    vocabulary: Vec<String>,
    /// Each passage, as indexes into the vocabulary.
    passages: Vec<Vec<u32>>,
    centers: Vec<[f32; LATENT]>,
    projection: Vec<[f32; DIMENSIONS]>,
}

impl Corpus {
    pub fn new(len: usize) -> Corpus {
        let mut cumulative = Vec::with_capacity(VOCABULARY);
        let mut sum = 0.0;
        for rank in 1..=VOCABULARY {
            sum += 1.0 / (rank as f64 + SHIFT);
            cumulative.push(sum);
        }
        let mut shape = Random::new(SEED, SHAPE);
        let centers = (0..CLUSTERS).map(|_| std::array::from_fn(|_| shape.normal())).collect();
        let projection = (0..LATENT).map(|_| std::array::from_fn(|_| shape.normal())).collect();
        let passages = (0..len).map(|n| passage(&cumulative, n)).collect();
        Corpus { vocabulary: (0..VOCABULARY).map(word).collect(), passages, centers, projection }
    }

    pub fn len(&self) -> usize {
        self.passages.len()
    }

    pub fn word(&self, index: u32) -> &str {
        self.vocabulary.get(index as usize).map_or("", String::as_str)
    }

    /// The words of the first `len` passages.
    pub fn passages(&self, len: usize) -> &[Vec<u32>] {
        &self.passages[..len.min(self.passages.len())]
    }

    pub fn text(&self, n: usize) -> String {
        let words: Vec<&str> = self.passages[n].iter().map(|index| self.word(*index)).collect();
        words.join(" ")
    }

    /// Metadata to filter by: the shelf `narrow` contains 2 % of the passages, `wide` 20 %, `half` 50 %.
    pub fn metadata(&self, n: usize) -> serde_json::Value {
        let shelf = match Random::new(SEED, SHAPE + 1 + n as u64).below(100) {
            0..2 => "narrow",
            2..22 => "wide",
            22..72 => "half",
            _ => "other",
        };
        serde_json::json!({ "number": n, "shelf": shelf })
    }

    /// The vector of a passage.
    pub fn vector(&self, n: usize) -> Vec<f32> {
        self.random_vector(&mut Random::new(SEED, VECTOR + n as u64))
    }

    /// A query vector, from the same distribution as the vectors of the passages.
    pub fn query_vector(&self, n: usize) -> Vec<f32> {
        self.random_vector(&mut Random::new(SEED, QUERY + n as u64))
    }

    fn random_vector(&self, random: &mut Random) -> Vec<f32> {
        let center = &self.centers[random.below(CLUSTERS)];
        let mut vector: Vec<f32> =
            (0..DIMENSIONS).map(|_| NOISE * (LATENT as f32).sqrt() * random.normal()).collect();
        for (coordinate, direction) in center.iter().zip(&self.projection) {
            let coordinate = coordinate + SPREAD * random.normal();
            for (value, part) in vector.iter_mut().zip(direction) {
                *value += coordinate * part;
            }
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        vector
    }
}

fn passage(cumulative: &[f64], n: usize) -> Vec<u32> {
    let mut random = Random::new(SEED, TEXT + n as u64);
    let total = cumulative.last().copied().unwrap_or_default();
    let mut words: Vec<u32> = Vec::new();
    for _ in 0..MIN_WORDS + random.below(WORDS_RANGE) {
        let word = if !words.is_empty() && random.unit() < BURST {
            words[random.below(words.len())]
        } else {
            let at = random.unit() * total;
            cumulative.partition_point(|sum| *sum <= at) as u32
        };
        words.push(word);
    }
    words
}

/// A word of three syllables for each number; words with neighboring numbers differ clearly.
fn word(index: usize) -> String {
    const ONSETS: [&str; 16] =
        ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "st"];
    const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
    let mut rest = index * 48_271 % (ONSETS.len() * VOWELS.len()).pow(3);
    let mut word = String::new();
    for _ in 0..3 {
        word.push_str(ONSETS[rest % ONSETS.len()]);
        rest /= ONSETS.len();
        word.push_str(VOWELS[rest % VOWELS.len()]);
        rest /= VOWELS.len();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_smaller_corpus_is_the_beginning_of_a_larger_one() {
        let (small, large) = (Corpus::new(3), Corpus::new(5));
        for n in 0..3 {
            assert_eq!(small.text(n), large.text(n));
            assert_eq!(small.vector(n), large.vector(n));
            assert_eq!(small.metadata(n), large.metadata(n));
        }
        assert_ne!(large.text(3), large.text(4));
        let words: HashSet<String> = (0..VOCABULARY).map(word).collect();
        assert_eq!(words.len(), VOCABULARY);
    }

    #[test]
    fn neighbors_are_nearer_than_the_rest() {
        let corpus = Corpus::new(0);
        let query = corpus.query_vector(0);
        let cosine = |n| corpus.vector(n).iter().zip(&query).map(|(a, b)| a * b).sum::<f32>();
        let mut similarities: Vec<f32> = (0..2_000).map(cosine).collect();
        similarities.sort_by(f32::total_cmp);
        assert!(similarities[1_999] > 0.5 && similarities[1_000].abs() < 0.2);
    }
}
