//! The hits of a search so far, over growing depths.

use std::collections::{HashMap, HashSet};

use kb_rag_core::fusion::Fused;

use super::Candidate;
use super::arm::{Arm, Kind};

/// The hits, best first, and their scores in the arms.
#[derive(Default)]
pub struct Found {
    pub hits: Vec<Fused<Candidate>>,
    pub similarities: HashMap<Candidate, f64>,
    /// Those whose similarity tells something.
    pub reliable: HashSet<Candidate>,
    pub keyword_scores: HashMap<Candidate, f64>,
    known: HashSet<Candidate>,
    /// The place of the keyword arm among the ranks of a hit.
    keyword_place: Option<usize>,
}

impl Found {
    /// Adds the hits of a deeper search. Those that are new come last, and their score is at most that of the last one before:
    /// scores of two depths are not comparable where they depend on all that was found.
    pub fn add(&mut self, hits: Vec<Fused<Candidate>>, arms: &[Arm]) {
        let max = self.hits.last().map_or(f64::INFINITY, |hit| hit.score);
        for mut hit in hits {
            if self.known.insert(hit.id) {
                hit.score = hit.score.min(max);
                self.hits.push(hit);
            }
        }
        for arm in arms {
            match arm.kind {
                Kind::Semantic { .. } => {
                    self.similarities.extend(arm.hits.iter().copied());
                    if arm.is_reliable() {
                        self.reliable.extend(arm.hits.iter().map(|(id, _)| *id));
                    }
                }
                // A score of 0 is no match.
                Kind::Keyword => {
                    self.keyword_scores.extend(arm.hits.iter().filter(|(_, score)| *score > 0.0).copied())
                }
            }
        }
        self.keyword_place = arms.iter().position(|arm| matches!(arm.kind, Kind::Keyword));
    }

    /// The rank of a hit by keyword.
    pub fn keyword_rank(&self, hit: &Fused<Candidate>) -> Option<i32> {
        self.keyword_place.and_then(|place| rank(*hit.ranks.get(place)?))
    }

    /// The rank of a hit in the semantic arm that found it.
    pub fn semantic_rank(&self, hit: &Fused<Candidate>) -> Option<i32> {
        let mut others = hit.ranks.iter().enumerate().filter(|(place, _)| Some(*place) != self.keyword_place);
        others.find_map(|(_, found)| rank(*found))
    }
}

fn rank(found: Option<u32>) -> Option<i32> {
    found.map(|rank| i32::try_from(rank).unwrap_or(i32::MAX))
}
