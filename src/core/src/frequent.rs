//! Counting the frequent among many distinct items, in bounded memory.
//!
//! Lossy counting (Manku and Motwani, "Approximate Frequency Counts over Data Streams", VLDB 2002): an item that occurs
//! in a share of at least `error` of the sets is never lost, and no count is too low by more than that share.

use std::collections::HashMap;

/// Counts in how many sets (chunks) each item (lexeme) occurs.
#[derive(Debug)]
pub struct FrequentItems {
    counts: HashMap<Box<[u8]>, Count>,
    /// Sets between two clean-ups: 1 / error.
    window: u64,
    sets: u64,
}

#[derive(Debug)]
struct Count {
    seen: u64,
    /// The most occurrences that may have been forgotten before.
    missed: u64,
}

impl FrequentItems {
    /// `error` is above 0 and at most 1.
    pub fn new(error: f64) -> FrequentItems {
        FrequentItems { counts: HashMap::new(), window: (1.0 / error).ceil().max(1.0) as u64, sets: 0 }
    }

    /// Counts the items of one set, each given once.
    pub fn add<'a>(&mut self, items: impl Iterator<Item = &'a [u8]>) {
        let missed = self.sets / self.window;
        for item in items {
            match self.counts.get_mut(item) {
                Some(count) => count.seen += 1,
                None => {
                    self.counts.insert(item.into(), Count { seen: 1, missed });
                }
            }
        }
        self.sets += 1;
        if self.sets.is_multiple_of(self.window) {
            let windows = self.sets / self.window;
            self.counts.retain(|_, count| count.seen + count.missed > windows);
        }
    }

    /// How many sets were added.
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
