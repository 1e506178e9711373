//! What an arm of a search found.

use std::collections::{BTreeSet, HashSet};

use super::{Candidate, Id, Query, Ranked};
use crate::fusion::{self, Fused};

/// Where ranks are fused, so many of the first hits by keyword are compared by their vectors too, whatever the index found and
/// whatever number of results is wanted. Those behind them would need a good rank in both arms.
const COMPARED: usize = 20;

/// What an arm compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Words, in all bases.
    Keyword,
    /// The vectors of one space with that of the question.
    Semantic {
        /// Its number.
        space: usize,
        /// False if the model cannot be used: the arm then only tells which candidates have no similarity.
        is_usable: bool,
        /// Whether the model reads the texts, so that similarities tell something.
        is_read: bool,
    },
}

/// One arm: its candidates best first, then those that only have a score here.
#[derive(Clone, Debug)]
pub(super) struct Arm<I> {
    pub kind: Kind,
    pub weight: f64,
    pub hits: Ranked<I>,
    /// How many of the hits the arm itself found.
    pub found: usize,
    /// The most hits that it was to find.
    depth: usize,
    /// Whether others have the score of the last hit, which it did not list.
    pub is_cut_in_a_run: bool,
    /// Candidates of other arms whose scores here are wanted.
    pub missing: Vec<Candidate<I>>,
    /// Candidates of other arms that have no score here: chunks without a vector, or of a model that cannot be used.
    pub incomparable: Vec<Candidate<I>>,
}

impl<I: Id> Arm<I> {
    /// An arm with the hits of a search for at most `depth`.
    pub fn new(kind: Kind, weight: f64, hits: Ranked<I>, depth: usize) -> Arm<I> {
        let found = hits.len();
        Arm {
            kind,
            weight,
            found,
            hits,
            depth,
            is_cut_in_a_run: false,
            missing: Vec::new(),
            incomparable: Vec::new(),
        }
    }

    /// The same with one more hit than `depth`, if there is one: it only shows whether others have the score of the last one.
    pub fn with_next(kind: Kind, weight: f64, mut hits: Ranked<I>, depth: usize) -> Arm<I> {
        let next = hits.get(depth).map(|(_, score)| *score);
        hits.truncate(depth);
        let is_cut_in_a_run = next.is_some() && next == hits.last().map(|(_, score)| *score);
        Arm { is_cut_in_a_run, ..Arm::new(kind, weight, hits, depth) }
    }

    /// Whether a deeper search finds no more.
    pub fn is_exhausted(&self) -> bool {
        self.found < self.depth
    }

    /// Whether it can compare anything.
    pub fn is_usable(&self) -> bool {
        matches!(self.kind, Kind::Keyword | Kind::Semantic { is_usable: true, .. })
    }

    /// Whether it compares vectors of a model that reads the texts.
    pub fn is_reliable(&self) -> bool {
        matches!(self.kind, Kind::Semantic { is_usable: true, is_read: true, .. })
    }

    /// Whether it compares vectors of a model that hardly reads the texts.
    pub fn is_unread(&self) -> bool {
        matches!(self.kind, Kind::Semantic { is_usable: true, is_read: false, .. })
    }

    pub fn is_keyword(&self) -> bool {
        self.kind == Kind::Keyword
    }

    /// Whether candidates of a base in this space have a score here.
    pub fn covers(&self, of_base: usize) -> bool {
        match self.kind {
            Kind::Semantic { space, .. } => space == of_base,
            Kind::Keyword => true,
        }
    }

    /// Whether the candidates of other arms need their scores here.
    pub fn is_completed(&self, is_by_rank: bool) -> bool {
        match self.kind {
            // To tell chunks without a vector from those that are far away.
            Kind::Semantic { .. } => true,
            // By rank, only those with the score of the last one can be told apart from what was not found. An arm that found
            // nothing has nothing to tell apart.
            Kind::Keyword => {
                if is_by_rank {
                    self.is_cut_in_a_run
                } else {
                    self.found > 0
                }
            }
        }
    }

    /// Gives candidates that are not listed their ranks, as they were compared with the question all the same: those that an
    /// approximate index missed, and those with the score of the last one, of which a list has only the first by id.
    pub fn rank_missed(&mut self, is_by_rank: bool, is_compared: impl Fn(&Candidate<I>) -> bool) {
        if self.is_exhausted() || self.is_keyword() && !is_by_rank {
            return;
        }
        let is_compared = |id: &Candidate<I>| self.kind == Kind::Keyword || is_compared(id);
        self.found = fusion::rank_missed(&mut self.hits, self.found, is_by_rank, is_compared);
    }

    /// Its list as it is, with its own scores.
    pub fn own_list(&self) -> Vec<Fused<Candidate<I>>> {
        let listed = (1_u32..).zip(self.hits.iter().take(self.found));
        listed.map(|(rank, (id, score))| Fused { id: *id, score: *score, ranks: vec![Some(rank)] }).collect()
    }

    /// The arm as fusion takes it.
    pub fn fused(&self) -> fusion::Arm<'_, Candidate<I>> {
        fusion::Arm {
            weight: self.weight,
            hits: &self.hits,
            found: self.found,
            incomparable: &self.incomparable,
        }
    }
}

/// The first [`COMPARED`] hits by keyword.
pub(super) fn first_by_keyword<I: Id>(arms: &[Arm<I>]) -> BTreeSet<Candidate<I>> {
    let by_keyword = arms.iter().filter(|arm| arm.is_keyword());
    by_keyword.flat_map(|arm| arm.hits.iter().take(COMPARED)).map(|(id, _)| *id).collect()
}

/// The candidates that can be among the results where ranks are fused, of `hits`, the arms as they are fused without scores of
/// other arms' candidates. A chunk without a vector counts in the semantic arm as much as by keyword; the others stay below the
/// last result even if they have none. None where all can be.
pub(super) fn possible_results<I: Id>(
    query: &Query,
    arms: &[Arm<I>],
    hits: &[Fused<Candidate<I>>],
    space_of: impl Fn(&Candidate<I>) -> usize,
) -> Option<BTreeSet<Candidate<I>>> {
    // A little less, since sums are rounded.
    let floor = hits.get(query.count.checked_sub(1)?)?.score * (1.0 - 1e-9);
    let upper_bound = |hit: &Fused<Candidate<I>>| {
        let (mut found, mut missing) = (0.0, 0.0);
        for (arm, rank) in arms.iter().zip(&hit.ranks) {
            match rank {
                Some(_) => found += arm.weight,
                None if arm.covers(space_of(&hit.id)) => missing += arm.weight,
                None => {}
            }
        }
        hit.score * (found + missing) / found
    };
    Some(hits.iter().filter(|hit| upper_bound(hit) >= floor).map(|hit| hit.id).collect())
}

/// The candidates that hold a word of the question, as far as that is known.
pub(super) fn with_words<I: Id>(arms: &[Arm<I>]) -> HashSet<Candidate<I>> {
    let by_keyword = arms.iter().filter(|arm| arm.is_keyword());
    by_keyword.flat_map(|arm| &arm.hits).filter(|(_, score)| *score > 0.0).map(|(id, _)| *id).collect()
}

/// Leaves out hits that only vectors found.
pub(super) fn keep_found_by_keyword<I: Id>(hits: &mut Vec<Fused<Candidate<I>>>, arms: &[Arm<I>]) {
    let by_keyword = arms.iter().filter(|arm| arm.is_keyword());
    let found: HashSet<Candidate<I>> =
        by_keyword.flat_map(|arm| arm.hits.iter().take(arm.found)).map(|(id, _)| *id).collect();
    hits.retain(|hit| found.contains(&hit.id));
}
