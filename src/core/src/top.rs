//! The best of many, in bounded memory.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Keeps the best `limit` of the scored ids pushed into it: highest score first, ties by id, lowest first.
#[derive(Debug)]
pub struct Top<Id> {
    limit: usize,
    /// The worst kept entry is on top.
    heap: BinaryHeap<Reverse<Scored<Id>>>,
}

/// An id with its score. Greater is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored<Id> {
    /// Never NaN.
    pub score: f64,
    /// What was scored.
    pub id: Id,
}

impl<Id: Ord> Eq for Scored<Id> {}

impl<Id: Ord> PartialOrd for Scored<Id> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<Id: Ord> Ord for Scored<Id> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.id.cmp(&self.id))
    }
}

impl<Id: Ord> Top<Id> {
    /// `limit` must be at least 1.
    pub fn new(limit: usize) -> Top<Id> {
        Top { limit, heap: BinaryHeap::with_capacity(limit.min(1024) + 1) }
    }

    /// Adds an entry, and drops the worst if there are too many.
    pub fn push(&mut self, score: f64, id: Id) {
        let scored = Reverse(Scored { score, id });
        if self.heap.len() < self.limit {
            self.heap.push(scored);
        } else if self.heap.peek().is_some_and(|worst| scored < *worst) {
            self.heap.pop();
            self.heap.push(scored);
        }
    }

    /// The score that a new entry must reach to be kept; None while there is space.
    pub fn threshold(&self) -> Option<f64> {
        let full = self.heap.len() >= self.limit;
        self.heap.peek().filter(|_| full).map(|worst| worst.0.score)
    }

    /// The chunks that were kept, best first.
    pub fn into_sorted(self) -> Vec<Scored<Id>> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(scored)| scored).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_sorting_all(scores in prop::collection::vec(0u8..20, 0..60), limit in 1usize..20) {
            let mut top = Top::new(limit);
            let mut all: Vec<(u8, usize)> = Vec::new();
            for (id, score) in scores.into_iter().enumerate() {
                top.push(f64::from(score), id);
                all.push((score, id));
                prop_assert_eq!(top.threshold().is_some(), all.len() >= limit);
            }
            all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            let expected: Vec<usize> = all.iter().take(limit).map(|(_, id)| *id).collect();
            let kept: Vec<usize> = top.into_sorted().into_iter().map(|scored| scored.id).collect();
            prop_assert_eq!(kept, expected);
        }
    }
}
