//! What an arm of a search found.

use std::collections::{BTreeSet, HashMap};

use pgrx::Uuid;

use super::{Candidate, Ranked, Search, semantic};
use crate::error::Result;

/// One arm: its candidates best first, then those that only have a score here.
pub struct Arm {
    pub kind: Kind,
    pub hits: Ranked,
    /// How many of the hits the arm itself found.
    pub found: usize,
}

/// What the arm compares.
pub enum Kind {
    /// Vectors of one model, in the bases at these places of the scope.
    Semantic { members: Vec<usize>, vector: Vec<f32> },
    /// Words, in all bases.
    Keyword,
}

impl Arm {
    pub fn new(kind: Kind, hits: Ranked) -> Arm {
        Arm { kind, found: hits.len(), hits }
    }

    /// Whether candidates of the base have a score in this arm.
    fn covers(&self, base: usize) -> bool {
        match &self.kind {
            Kind::Semantic { members, .. } => members.contains(&base),
            Kind::Keyword => true,
        }
    }
}

/// Gives every candidate its score in every arm, even in those that did not find it: normalised scores are comparable only
/// if "not among the best" is told apart from "nothing in common".
pub fn complete(search: &Search, arms: &mut [Arm]) -> Result<()> {
    let all: BTreeSet<Candidate> = arms.iter().flat_map(|arm| &arm.hits).map(|(id, _)| *id).collect();
    // An arm that found nothing has nothing to tell apart.
    for arm in arms.iter_mut().filter(|arm| arm.found > 0) {
        let own: BTreeSet<Candidate> = arm.hits.iter().map(|(id, _)| *id).collect();
        let mut missing: HashMap<usize, Vec<Uuid>> = HashMap::new();
        for candidate in all.difference(&own).filter(|candidate| arm.covers(candidate.base)) {
            missing.entry(candidate.base).or_default().push(candidate.chunk);
        }
        for (index, chunks) in missing {
            let scores = match (&arm.kind, &search.keyword) {
                (Kind::Semantic { vector, .. }, _) => {
                    semantic::similarities(search, &search.bases[index], vector, chunks)?
                }
                (Kind::Keyword, Some(keyword)) => keyword.scores(search, index, chunks)?,
                (Kind::Keyword, None) => Vec::new(),
            };
            arm.hits
                .extend(scores.into_iter().map(|(chunk, score)| (Candidate { chunk, base: index }, score)));
        }
    }
    Ok(())
}
