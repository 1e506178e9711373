//! The hits of a search so far, over growing depths.

use std::collections::{HashMap, HashSet};

use super::arm::Arm;
use super::shape::Row;
use super::{Candidate, Hit, Id};
use crate::fusion::Fused;

/// The hits, best first, and their scores in the arms.
#[derive(Debug)]
pub(super) struct Found<I> {
    pub hits: Vec<Fused<Candidate<I>>>,
    similarities: HashMap<Candidate<I>, f64>,
    /// Those whose similarity tells something.
    reliable: HashSet<Candidate<I>>,
    keyword_scores: HashMap<Candidate<I>, f64>,
    known: HashSet<Candidate<I>>,
    /// The score of the last hit so far, which may be gone.
    least: f64,
    /// How many hits there were after each round.
    rounds: Vec<usize>,
    /// Whether the first arm is that of keywords.
    has_keywords: bool,
}

impl<I> Default for Found<I> {
    fn default() -> Found<I> {
        Found {
            hits: Vec::new(),
            similarities: HashMap::new(),
            reliable: HashSet::new(),
            keyword_scores: HashMap::new(),
            known: HashSet::new(),
            least: f64::INFINITY,
            rounds: Vec::new(),
            has_keywords: false,
        }
    }
}

impl<I: Id> Found<I> {
    /// Adds the hits of a deeper search. Those that are new come last, and their score is at most that of the last one before:
    /// scores of two depths are not comparable where they depend on all that was found.
    pub fn add(&mut self, hits: Vec<Fused<Candidate<I>>>, arms: &[Arm<I>]) {
        let max = self.least;
        for mut hit in hits {
            if self.known.insert(hit.id) {
                hit.score = hit.score.min(max);
                self.least = hit.score;
                self.hits.push(hit);
            }
        }
        self.rounds.push(self.hits.len());
        self.has_keywords = false;
        for arm in arms {
            if arm.is_keyword() {
                self.has_keywords = true;
                // A score of 0 is no match.
                let matches = arm.hits.iter().filter(|(_, score)| *score > 0.0);
                self.keyword_scores.extend(matches.copied());
            } else {
                self.similarities.extend(arm.hits.iter().copied());
                if arm.is_reliable() {
                    self.reliable.extend(arm.hits.iter().map(|(id, _)| *id));
                }
            }
        }
    }

    /// Takes hits out. They do not come again.
    pub fn remove(&mut self, gone: &[Candidate<I>]) {
        let gone: HashSet<&Candidate<I>> = gone.iter().collect();
        for end in &mut self.rounds {
            let before = self.hits.iter().take(*end);
            *end -= before.filter(|hit| gone.contains(&hit.id)).count();
        }
        self.hits.retain(|hit| !gone.contains(&hit.id));
    }

    /// How many hits there were after the round that found the one at `place`.
    pub fn end_of_round(&self, place: usize) -> usize {
        self.rounds.iter().copied().find(|end| *end > place).unwrap_or(self.hits.len())
    }

    /// A row with all that is known of its hit, and its copies.
    pub fn hit(&self, row: Row, copies: Vec<Candidate<I>>) -> Hit<I> {
        let hit = &self.hits[row.hit];
        let (by_keyword, by_vectors) =
            hit.ranks.split_at(usize::from(self.has_keywords).min(hit.ranks.len()));
        Hit {
            id: hit.id,
            score: hit.score,
            similarity: self.similarities.get(&hit.id).copied(),
            is_reliable: self.reliable.contains(&hit.id),
            keyword_score: self.keyword_scores.get(&hit.id).copied(),
            keyword_rank: by_keyword.iter().copied().flatten().next(),
            // That of the arm that found it.
            semantic_rank: by_vectors.iter().copied().flatten().next(),
            window: row.window,
            copies,
        }
    }
}
