//! Statistics of the chunks that row security lets a caller see, estimated from a sample of all chunks.
//!
//! A sample consists of the chunks whose numbers have the lowest hashes (a bottom-k sample: Cohen and Kaplan, "Summarizing data
//! using bottom-k sketches", 2007). It is the same in every search, and samples of different words share chunks.

use std::collections::BinaryHeap;

/// So many of 100 words are taken to be more common, or less, in visible chunks than in others, before a sample is seen.
const PERCENT_OF_THEIR_OWN: f64 = 20.0;

/// A fixed pseudorandom number for each chunk number: the finalizer of splitmix64 (Steele, Lea and Flood, 2014).
fn hash(number: i64) -> u64 {
    let mut hash = (number as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The chunk numbers with the lowest hashes of those that are offered.
#[derive(Debug)]
pub struct Sample {
    size: usize,
    /// The highest hash is on top.
    lowest: BinaryHeap<(u64, i64)>,
}

impl Sample {
    /// Keeps at most `size` numbers.
    pub fn new(size: usize) -> Sample {
        Sample { size, lowest: BinaryHeap::with_capacity(size.min(4_096) + 1) }
    }

    /// Offers a number, each once.
    #[inline]
    pub fn offer(&mut self, number: i64) {
        let hash = hash(number);
        if self.lowest.len() < self.size {
            self.lowest.push((hash, number));
        } else if self.lowest.peek().is_some_and(|(highest, _)| hash < *highest) {
            self.lowest.pop();
            self.lowest.push((hash, number));
        }
    }

    /// Whether a number would be kept.
    #[inline]
    pub fn would_keep(&self, number: i64) -> bool {
        self.lowest.len() < self.size
            || self.lowest.peek().is_some_and(|(highest, _)| hash(number) < *highest)
    }

    /// The numbers, by hash: the first of them are a smaller sample.
    pub fn into_numbers(self) -> Vec<i64> {
        self.lowest.into_sorted_vec().into_iter().map(|(_, number)| number).collect()
    }
}

/// The visible part of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visible {
    /// The size of the sample.
    pub sampled: usize,
    /// Those that the caller may see, at most all.
    pub visible: usize,
}

impl Visible {
    /// The share that is visible, from 0 to 1. 0 for an empty sample.
    pub fn share(self) -> f64 {
        if self.sampled == 0 { 0.0 } else { self.visible as f64 / self.sampled as f64 }
    }

    /// In how many visible chunks a lexeme is, given that it is in `frequency` chunks of which this is a sample, and a sample of
    /// all chunks. Exact where all `frequency` chunks are in the sample.
    ///
    /// The share of its chunks that are visible is that of all chunks, or any other: the mean of both, weighted by how likely each
    /// makes the sample (a Bayesian mixture of a point and a uniform prior). So most words keep their weights relative to each other,
    /// and a word that only the visible chunks have is known to be theirs.
    pub fn frequency(self, frequency: f64, of_all: Visible) -> f64 {
        if self.sampled as f64 >= frequency {
            return self.visible as f64;
        }
        let (sampled, share) = (self.sampled as f64, of_all.share());
        let own = PERCENT_OF_THEIR_OWN / 100.0;
        let as_own = own / (sampled + 1.0);
        let as_others = (1.0 - own) * self.likelihood(share);
        let own_share = (self.visible as f64 + 1.0) / (sampled + 2.0);
        let estimated = (as_own * own_share + as_others * share) / (as_own + as_others);
        (frequency * estimated).max(self.visible as f64)
    }

    /// The probability that so many of the sample are visible if each is with a probability of `share`: the binomial distribution.
    fn likelihood(self, share: f64) -> f64 {
        let hidden = self.sampled - self.visible.min(self.sampled);
        let ways: f64 = (1..=hidden).map(|n| ((self.visible + n) as f64 / n as f64).ln()).sum();
        let power = |share: f64, count: usize| if count == 0 { 0.0 } else { count as f64 * share.ln() };
        (ways + power(share, self.visible) + power(1.0 - share, hidden)).exp()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(numbers: impl IntoIterator<Item = i64>, size: usize) -> Vec<i64> {
        let mut sample = Sample::new(size);
        numbers.into_iter().for_each(|number| sample.offer(number));
        sample.into_numbers()
    }

    proptest! {
        #[test]
        fn a_sample_does_not_depend_on_order_and_contains_the_smaller_ones(
            numbers in prop::collection::hash_set(any::<i64>(), 0..200),
            size in 0..50usize,
            smaller in 0..50usize,
        ) {
            let mut sorted: Vec<i64> = numbers.iter().copied().collect();
            sorted.sort_unstable();
            let found = sample(numbers.iter().copied(), size);
            prop_assert_eq!(found.len(), size.min(numbers.len()));
            prop_assert_eq!(&found, &sample(sorted.iter().rev().copied(), size));
            let smaller = smaller.min(size);
            prop_assert_eq!(&found[..smaller.min(found.len())], &sample(sorted, smaller)[..]);
        }

        #[test]
        fn numbers_that_are_added_leave_the_others_in_their_order(
            numbers in prop::collection::btree_set(any::<i64>(), 0..100),
            added in prop::collection::btree_set(any::<i64>(), 0..100),
            size in 0..50usize,
        ) {
            let all: Vec<i64> = numbers.union(&added).copied().collect();
            let mut kept = sample(all, size);
            kept.retain(|number| numbers.contains(number));
            prop_assert!(sample(numbers, size).starts_with(&kept));
        }

        #[test]
        fn an_estimate_is_within_what_is_possible(
            sampled in 0..500usize, visible in 0..500usize, more in 0..10_000u32,
            of_all in (1..500usize, 0..500usize),
        ) {
            let word = Visible { sampled, visible: visible.min(sampled) };
            let all = Visible { sampled: of_all.0, visible: of_all.1.min(of_all.0) };
            let frequency = sampled as f64 + f64::from(more);
            let estimated = word.frequency(frequency, all);
            prop_assert!(estimated >= word.visible as f64);
            prop_assert!(estimated <= frequency + 1e-6);
            if more == 0 {
                prop_assert_eq!(estimated, word.visible as f64);
            }
        }
    }

    /// Chunks that come one after the other are visible or hidden together, as those of a tenant are.
    #[test]
    fn shares_are_estimated_whatever_the_order_of_the_chunks() {
        for (share, from) in [(0.5, 0), (0.2, 7_000), (0.98, 100), (0.02, 40_000)] {
            let is_visible = |number: i64| (number - from).rem_euclid(50_000) < (share * 50_000.0) as i64;
            let numbers = sample(0..50_000, 1_024);
            let visible = numbers.iter().filter(|number| is_visible(**number)).count();
            let error = (Visible { sampled: numbers.len(), visible }.share() - share).abs();
            let deviation = (share * (1.0 - share) / 1_024.0).sqrt();
            assert!(error < 4.0 * deviation, "{share}: off by {error}");
        }
    }

    #[test]
    fn most_words_are_visible_as_often_as_all_chunks_and_some_are_not() {
        let all = Visible { sampled: 1_024, visible: 20 };
        let frequency = |visible| Visible { sampled: 64, visible }.frequency(10_000.0, all) / 10_000.0;
        for usual in 0..=3 {
            let share = frequency(usual);
            assert!((0.018..0.022).contains(&share), "{usual} visible: {share}");
        }
        assert!(frequency(64) > 0.98);
        assert!(frequency(32) > 0.48 && frequency(32) < 0.52);
        let half = Visible { sampled: 256, visible: 128 };
        let frequency = |visible| Visible { sampled: 64, visible }.frequency(10_000.0, half) / 10_000.0;
        assert!((0.49..0.51).contains(&frequency(34)));
        assert!(frequency(0) < 0.02);
    }

    #[test]
    fn likelihoods_add_up_to_one() {
        for share in [0.0, 0.02, 0.5, 1.0] {
            let sum: f64 = (0..=64).map(|visible| Visible { sampled: 64, visible }.likelihood(share)).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{share}: {sum}");
        }
    }
}
