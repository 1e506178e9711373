//! What an arm of a search found.

use std::collections::{BTreeSet, HashMap, HashSet};

use kb_rag_core::fusion::{self, Fused};
use pgrx::Uuid;

use super::space::Space;
use super::{Candidate, Fusion, Ranked, Request, Search, semantic, threshold};
use crate::error::Result;

/// Where ranks are fused, so many of the first hits by keyword are compared with the query by their vectors too, whatever the
/// index found and whatever number of results is wanted. Those behind them would need a good rank in both arms.
const COMPARED: usize = 20;

/// One arm: its candidates best first, then those that only have a score here.
pub struct Arm<'a> {
    pub kind: Kind<'a>,
    pub weight: f64,
    pub hits: Ranked,
    /// How many of the hits the arm itself found.
    pub found: usize,
    /// The most hits that it was to find.
    depth: i64,
    /// Candidates of other arms that have no score here: chunks without a vector, or of a model that cannot be used.
    incomparable: Vec<Candidate>,
}

/// What the arm compares.
pub enum Kind<'a> {
    /// Vectors of one model with that of the query, which is empty if the model cannot be used.
    Semantic { space: &'a Space<'a>, vector: &'a [f32] },
    /// Words, in all bases.
    Keyword,
}

impl<'a> Arm<'a> {
    /// An arm with the hits of a search for at most `depth`.
    pub fn new(kind: Kind<'a>, weight: f64, hits: Ranked, depth: i64) -> Arm<'a> {
        Arm { kind, weight, found: hits.len(), hits, depth, incomparable: Vec::new() }
    }

    /// Whether a deeper search finds no more.
    pub fn is_exhausted(&self) -> bool {
        (self.found as i64) < self.depth
    }

    /// Whether it can compare anything.
    pub fn is_usable(&self) -> bool {
        match self.kind {
            Kind::Semantic { vector, .. } => !vector.is_empty(),
            Kind::Keyword => true,
        }
    }

    /// Whether its similarities tell something: its model reads the texts.
    pub fn is_reliable(&self) -> bool {
        match self.kind {
            Kind::Semantic { space, .. } => self.is_usable() && space.is_read(),
            Kind::Keyword => false,
        }
    }

    /// Whether every candidate has a score here.
    pub fn lacks_none(&self) -> bool {
        self.incomparable.is_empty()
    }

    /// Whether candidates of the base have a score in this arm.
    pub fn covers(&self, base: usize) -> bool {
        match self.kind {
            Kind::Semantic { space, .. } => space.members.contains(&base),
            Kind::Keyword => true,
        }
    }

    /// Whether the candidates of other arms need their scores in this arm.
    fn is_completed(&self, fusion: Fusion) -> bool {
        match self.kind {
            // To tell chunks without a vector from those that are far away.
            Kind::Semantic { .. } => true,
            // An arm that found nothing has nothing to tell apart.
            Kind::Keyword => fusion == Fusion::RelativeScore && self.found > 0,
        }
    }

    /// Gives candidates that an approximate index missed their ranks: they were compared with the query all the same.
    fn rank_missed(&mut self, is_compared: impl Fn(&Candidate) -> bool) {
        if matches!(self.kind, Kind::Semantic { .. }) && !self.is_exhausted() {
            fusion::rank_missed(&mut self.hits, self.found, is_compared);
        }
    }

    /// The arm as fusion takes it.
    pub fn fused(&self) -> fusion::Arm<'_, Candidate> {
        fusion::Arm {
            weight: self.weight,
            hits: &self.hits,
            found: self.found,
            incomparable: &self.incomparable,
        }
    }
}

/// Gives candidates their score in every arm, even in those that did not find it: normalized scores are comparable only if
/// "not among the best" is told apart from "nothing in common". By rank, those without a vector need to be known, but only where it
/// could change the results, and those that the vector index missed.
pub fn complete(search: &Search, arms: &mut [Arm]) -> Result<()> {
    // By score, all candidates are compared.
    let first = (search.request.fusion == Fusion::ReciprocalRank).then(|| first_by_keyword(arms));
    let candidates: BTreeSet<Candidate> = match (possible_results(search, arms), &first) {
        (Some(mut possible), Some(first)) => {
            possible.extend(first);
            possible
        }
        _ => arms.iter().flat_map(|arm| &arm.hits).map(|(id, _)| *id).collect(),
    };
    for arm in arms.iter_mut().filter(|arm| arm.is_completed(search.request.fusion)) {
        let own: BTreeSet<Candidate> = arm.hits.iter().map(|(id, _)| *id).collect();
        let mut missing: HashMap<usize, BTreeSet<Uuid>> = HashMap::new();
        for candidate in candidates.difference(&own).filter(|candidate| arm.covers(candidate.base)) {
            missing.entry(candidate.base).or_default().insert(candidate.chunk);
        }
        for (base, mut chunks) in missing {
            for (chunk, score) in scores(search, &arm.kind, base, &chunks)? {
                chunks.remove(&chunk);
                arm.hits.push((Candidate { chunk, base }, score));
            }
            arm.incomparable.extend(chunks.into_iter().map(|chunk| Candidate { chunk, base }));
        }
        arm.rank_missed(|id| first.as_ref().is_none_or(|first| first.contains(id)));
    }
    Ok(())
}

/// The first [`COMPARED`] hits by keyword.
fn first_by_keyword(arms: &[Arm]) -> BTreeSet<Candidate> {
    let by_keyword = arms.iter().filter(|arm| matches!(arm.kind, Kind::Keyword));
    by_keyword.flat_map(|arm| arm.hits.iter().take(COMPARED)).map(|(id, _)| *id).collect()
}

/// The candidates that can be among the results, where ranks are fused and each of the best hits is a result. A chunk without a
/// vector counts in the semantic arm as much as by keyword; the others stay below the last result even if they have none. None
/// where all can be.
fn possible_results(search: &Search, arms: &[Arm]) -> Option<BTreeSet<Candidate>> {
    let Request { fusion, match_count, max_per_document, semantic_weight, .. } = *search.request;
    let takes_best = fusion == Fusion::ReciprocalRank
        && max_per_document.is_none()
        && semantic_weight != 0.0
        && !threshold::is_set(search);
    let last = usize::try_from(match_count).ok()?.checked_sub(1).filter(|_| takes_best)?;
    let hits = search.fuse(arms);
    // A little less, since sums are rounded.
    let floor = hits.get(last)?.score * (1.0 - 1e-9);
    let upper_bound = |hit: &Fused<Candidate>| {
        let (mut found, mut missing) = (0.0, 0.0);
        for (arm, rank) in arms.iter().zip(&hit.ranks) {
            match rank {
                Some(_) => found += arm.weight,
                None if arm.covers(hit.id.base) => missing += arm.weight,
                None => {}
            }
        }
        hit.score * (found + missing) / found
    };
    Some(hits.iter().filter(|hit| upper_bound(hit) >= floor).map(|hit| hit.id).collect())
}

/// Leaves out hits that only vectors found.
pub fn keep_found_by_keyword(hits: &mut Vec<Fused<Candidate>>, arms: &[Arm]) {
    let by_keyword: Vec<&Arm> = arms.iter().filter(|arm| matches!(arm.kind, Kind::Keyword)).collect();
    let found: HashSet<Candidate> =
        by_keyword.iter().flat_map(|arm| arm.hits.iter().take(arm.found)).map(|(id, _)| *id).collect();
    hits.retain(|hit| found.contains(&hit.id));
}

/// The scores of some chunks of a base in an arm; those without one are left out.
fn scores(search: &Search, kind: &Kind, base: usize, chunks: &BTreeSet<Uuid>) -> Result<Vec<(Uuid, f64)>> {
    let chunks: Vec<Uuid> = chunks.iter().copied().collect();
    match (kind, &search.keyword) {
        (Kind::Semantic { vector: [], .. }, _) | (Kind::Keyword, None) => Ok(Vec::new()),
        (Kind::Semantic { vector, .. }, _) => {
            semantic::similarities(search, &search.bases[base], vector, chunks)
        }
        (Kind::Keyword, Some(keyword)) => keyword.scores(search, base, chunks),
    }
}
