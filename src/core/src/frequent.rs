//! Counts the frequent items among many distinct ones, in bounded memory.
//!
//! Lossy counting (Manku and Motwani, "Approximate Frequency Counts over Data Streams", VLDB 2002). An item
//! that occurs in a share of at least `error` of the sets is never lost, and no count is too low by more than
//! that share. If the sets hold too many distinct items for the memory bound, the error grows instead.

use std::collections::HashMap;

/// The most items kept: about 100 MB.
const MOST_ITEMS: usize = 900_000;

/// Counts in how many sets (chunks) each item (lexeme) occurs.
#[derive(Debug)]
pub struct FrequentItems {
    counts: HashMap<Box<[u8]>, Count>,
    /// Sets between two clean-ups: 1 / error.
    window: u64,
    sets: u64,
    /// No discarded item has occurred more often than this.
    missed: u64,
    most_items: usize,
}

#[derive(Debug)]
struct Count {
    seen: u64,
    /// The most occurrences that may have been forgotten before.
    missed: u64,
}

impl FrequentItems {
    /// `error` must be above 0 and at most 1.
    pub fn new(error: f64) -> FrequentItems {
        let window = (1.0 / error).ceil().max(1.0) as u64;
        FrequentItems { counts: HashMap::new(), window, sets: 0, missed: 0, most_items: MOST_ITEMS }
    }

    /// Counts the items of one set. Each must be given once.
    pub fn add<'a>(&mut self, items: impl Iterator<Item = &'a [u8]>) {
        for item in items {
            match self.counts.get_mut(item) {
                Some(count) => count.seen += 1,
                None => {
                    if self.counts.len() >= self.most_items {
                        self.forget_half();
                    }
                    self.counts.insert(item.into(), Count { seen: 1, missed: self.missed });
                }
            }
        }
        self.sets += 1;
        if self.sets.is_multiple_of(self.window) {
            self.forget(self.missed + 1);
        }
    }

    fn forget_half(&mut self) {
        let mut most: Vec<u64> = self.counts.values().map(|count| count.seen + count.missed).collect();
        let middle = most.len() / 2;
        let (_, median, _) = most.select_nth_unstable(middle);
        self.forget(*median);
    }

    /// Forgets the items that have occurred at most `times` times.
    fn forget(&mut self, times: u64) {
        self.missed = times;
        self.counts.retain(|_, count| count.seen + count.missed > times);
    }

    /// The number of sets added.
    pub fn sets(&self) -> u64 {
        self.sets
    }

    /// The items that occur in at least `fewest` sets, with their counts, in no particular order.
    pub fn frequent(self, fewest: u64) -> impl Iterator<Item = (Box<[u8]>, u64)> {
        self.counts
            .into_iter()
            .filter(move |(_, count)| count.seen + count.missed >= fewest)
            .map(|(item, count)| (item, count.seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Each set has an item of its own and one of ten recurring items.
    #[test]
    fn memory_is_bounded_even_where_most_items_are_rare() {
        let mut items = FrequentItems { most_items: 100, ..FrequentItems::new(0.0001) };
        for set in 0u32..5_000 {
            items.add(
                [(set % 10).to_be_bytes(), (1000 + set).to_be_bytes()].iter().map(|item| item.as_slice()),
            );
            assert!(items.counts.len() <= 100);
        }
        let mut found: Vec<_> = items.frequent(400).collect();
        found.sort();
        let expected: Vec<(Box<[u8]>, u64)> = (0u32..10).map(|n| (n.to_be_bytes().into(), 500)).collect();
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn loses_nothing_frequent_and_little_of_its_count(
            sets in prop::collection::vec(prop::collection::btree_set(0u8..40, 0..8), 0..300),
        ) {
            let mut items = FrequentItems::new(0.05);
            let mut exact = [0u64; 40];
            for set in &sets {
                let set: BTreeSet<[u8; 1]> = set.iter().map(|item| [*item]).collect();
                items.add(set.iter().map(|item| item.as_slice()));
                set.iter().for_each(|item| exact[usize::from(item[0])] += 1);
            }
            let allowed = sets.len() as u64 / 20 + 1;
            let fewest = sets.len() as u64 / 5 + 1;
            let found: HashMap<_, _> = items.frequent(fewest).collect();
            for (item, count) in exact.into_iter().enumerate() {
                match found.get([item as u8].as_slice()) {
                    Some(counted) => prop_assert!(*counted <= count && count - counted <= allowed),
                    None => prop_assert!(count < fewest),
                }
            }
        }
    }
}
