//! The best of many, in bounded memory.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Keeps the best `limit` of the scored ids pushed into it: highest score first, ties by id, lowest first.
#[derive(Debug)]
pub struct Top<Id> {
    wanted: usize,
    /// The worst kept entry is on top.
    heap: BinaryHeap<Reverse<Scored<Id>>>,
    max_ties: usize,
    /// Further entries with the score of the worst, the greatest id on top.
    ties: BinaryHeap<Id>,
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
    /// Keeps `limit` entries, at least 1.
    pub fn new(limit: usize) -> Top<Id> {
        Top::with_ties(limit, limit)
    }

    /// Keeps `wanted` entries, at least 1, and those that have the same score as the last of them; `limit` at most.
    pub fn with_ties(wanted: usize, limit: usize) -> Top<Id> {
        let heap = BinaryHeap::with_capacity(wanted.min(1024) + 1);
        Top { wanted, heap, max_ties: limit.saturating_sub(wanted), ties: BinaryHeap::new() }
    }

    /// Adds an entry, and drops the worst if there are too many.
    pub fn push(&mut self, score: f64, id: Id) {
        let scored = Reverse(Scored { score, id });
        if self.heap.len() < self.wanted {
            self.heap.push(scored);
            return;
        }
        let Some(worst) = self.heap.peek().map(|worst| worst.0.score) else { return };
        if self.heap.peek().is_some_and(|worst| scored < *worst) {
            let dropped = self.heap.pop();
            self.heap.push(scored);
            if self.heap.peek().is_some_and(|now| now.0.score > worst) {
                self.ties.clear();
            } else if let Some(Reverse(dropped)) = dropped {
                self.push_tie(dropped.id);
            }
        } else if score >= worst {
            self.push_tie(scored.0.id);
        }
    }

    fn push_tie(&mut self, id: Id) {
        if self.max_ties > 0 {
            self.ties.push(id);
            if self.ties.len() > self.max_ties {
                self.ties.pop();
            }
        }
    }

    /// The score that a new entry must reach to be kept; None while there is space.
    pub fn threshold(&self) -> Option<f64> {
        let full = self.heap.len() >= self.wanted;
        self.heap.peek().filter(|_| full).map(|worst| worst.0.score)
    }

    /// The chunks that were kept, best first.
    pub fn into_sorted(self) -> Vec<Scored<Id>> {
        let last = self.heap.peek().map_or(0.0, |worst| worst.0.score);
        let ties = self.ties.into_sorted_vec().into_iter().map(|id| Scored { score: last, id });
        self.heap.into_sorted_vec().into_iter().map(|Reverse(scored)| scored).chain(ties).collect()
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

        #[test]
        fn ties_of_the_last_are_kept(scores in prop::collection::vec(0u8..8, 0..80), wanted in 1usize..10, more in 0usize..20) {
            let (mut top, mut all) = (Top::with_ties(wanted, wanted + more), Top::new(wanted + more));
            for (id, score) in scores.into_iter().enumerate() {
                top.push(f64::from(score), id);
                all.push(f64::from(score), id);
            }
            let all = all.into_sorted();
            let least = all.get(wanted - 1).map(|scored| scored.score);
            let expected: Vec<_> = all.into_iter().filter(|scored| least.is_none_or(|l| scored.score >= l)).collect();
            prop_assert_eq!(top.threshold(), least);
            prop_assert_eq!(top.into_sorted(), expected);
        }
    }
}
