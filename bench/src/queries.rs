//! Queries by how common their words are. The words of each come from one passage, so that even an AND of
//! them finds it.

use crate::corpus::Corpus;
use crate::random::Random;

/// The number of the first vector of a long query.
const FIRST_LONG: usize = 1 << 20;

/// How common the words of a query are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stratum {
    /// Three words, each in at most 0.5 % of the passages.
    Rare,
    /// Three words, each in 0.5 to 5 % of the passages.
    Medium,
    /// Two rare words and three common ones, as in a question.
    Mixed,
    /// Four words, each in at least 10 %.
    Common,
    /// Four rare words, six medium ones and eight common ones, as in what people and agents ask in full sentences.
    Long,
}

impl Stratum {
    pub const ALL: [Stratum; 5] =
        [Stratum::Rare, Stratum::Medium, Stratum::Mixed, Stratum::Common, Stratum::Long];

    pub fn name(self) -> &'static str {
        match self {
            Stratum::Rare => "rare",
            Stratum::Medium => "medium",
            Stratum::Mixed => "mixed",
            Stratum::Common => "common",
            Stratum::Long => "long",
        }
    }

    /// The number of words for each range of shares.
    fn parts(self) -> &'static [(usize, f64, f64)] {
        const RARE: (f64, f64) = (0.0, 0.005);
        const MEDIUM: (f64, f64) = (0.005, 0.05);
        const COMMON: (f64, f64) = (0.1, 1.0);
        // No word counts as both: a query has each once.
        const ABOVE_RARE: f64 = RARE.1.next_up();
        match self {
            Stratum::Rare => &[(3, RARE.0, RARE.1)],
            Stratum::Medium => &[(3, MEDIUM.0, MEDIUM.1)],
            Stratum::Mixed => &[(2, RARE.0, RARE.1), (3, COMMON.0, COMMON.1)],
            Stratum::Common => &[(4, COMMON.0, COMMON.1)],
            Stratum::Long => &[(4, RARE.0, RARE.1), (6, ABOVE_RARE, MEDIUM.1), (8, COMMON.0, COMMON.1)],
        }
    }
}

/// A query of words and a vector.
pub struct Query {
    pub stratum: Stratum,
    pub words: Vec<u32>,
    pub text: String,
    pub vector: Vec<f32>,
}

/// For each word, the number of passages among the first `len` that contain it.
pub fn frequencies(corpus: &Corpus, len: usize) -> Vec<u32> {
    let mut frequencies = Vec::new();
    for passage in corpus.passages(len) {
        for word in distinct(passage) {
            let at = word as usize;
            if frequencies.len() <= at {
                frequencies.resize(at + 1, 0);
            }
            frequencies[at] += 1;
        }
    }
    frequencies
}

fn distinct(passage: &[u32]) -> Vec<u32> {
    let mut words = passage.to_vec();
    words.sort_unstable();
    words.dedup();
    words
}

/// `each` queries per stratum for a base of the first `len` passages, with the strata taking turns.
pub fn stratified(corpus: &Corpus, len: usize, each: usize) -> Vec<Query> {
    let frequencies = frequencies(corpus, len);
    let mut random = Random::new(7, len as u64);
    // Long queries have random numbers and vectors of their own: the others are those of earlier versions.
    let mut of_long = Random::new(8, len as u64);
    let mut queries = Vec::new();
    for n in 0..each {
        for stratum in Stratum::ALL {
            let (random, vector) = match stratum {
                Stratum::Long => (&mut of_long, FIRST_LONG + n),
                _ => (&mut random, n * (Stratum::ALL.len() - 1) + stratum as usize),
            };
            // A passage without suitable words is skipped.
            for _ in 0..1_000 {
                let passage = &corpus.passages(len)[random.below(len)];
                if let Some(words) = choose(stratum, passage, &frequencies, len, random) {
                    let text: Vec<&str> = words.iter().map(|word| corpus.word(*word)).collect();
                    let vector = corpus.query_vector(vector);
                    queries.push(Query { stratum, text: text.join(" "), words, vector });
                    break;
                }
            }
        }
    }
    queries
}

fn choose(
    stratum: Stratum,
    passage: &[u32],
    frequencies: &[u32],
    len: usize,
    random: &mut Random,
) -> Option<Vec<u32>> {
    let mut words = distinct(passage);
    random.shuffle(&mut words);
    let mut chosen = Vec::new();
    for (count, min, max) in stratum.parts() {
        let share = |word: &u32| f64::from(frequencies[*word as usize]) / len as f64;
        let fitting = words.iter().copied().filter(|word| (*min..=*max).contains(&share(word)));
        let before = chosen.len();
        chosen.extend(fitting.take(*count));
        if chosen.len() - before < *count {
            return None;
        }
    }
    random.shuffle(&mut chosen);
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_common_as_the_stratum_says() {
        let len = 2_000;
        let corpus = Corpus::new(len);
        let frequencies = frequencies(&corpus, len);
        let queries = stratified(&corpus, len, 5);
        assert_eq!(queries.len(), 5 * Stratum::ALL.len());
        for query in &queries {
            let counts = corpus.passages(len).iter().filter(|p| query.words.iter().all(|w| p.contains(w)));
            assert!(counts.count() > 0, "no passage has all words of {}", query.text);
            let share = |word: &u32| f64::from(frequencies[*word as usize]) / len as f64;
            let common = query.words.iter().filter(|word| share(word) >= 0.1).count();
            let rare = query.words.iter().filter(|word| share(word) <= 0.005).count();
            let expected = match query.stratum {
                Stratum::Rare => (3, 0),
                Stratum::Medium => (0, 0),
                Stratum::Mixed => (2, 3),
                Stratum::Common => (0, 4),
                Stratum::Long => (4, 8),
            };
            assert_eq!((rare, common), expected, "{}", query.text);
            let words: usize = query.stratum.parts().iter().map(|(count, _, _)| count).sum();
            assert_eq!(query.words.len(), words, "{}", query.text);
        }
    }

    #[test]
    fn small_bases_have_queries_of_every_stratum() {
        let corpus = Corpus::new(300);
        for stratum in Stratum::ALL {
            let queries = stratified(&corpus, 300, 4);
            assert_eq!(queries.iter().filter(|query| query.stratum == stratum).count(), 4, "{stratum:?}");
        }
    }
}
