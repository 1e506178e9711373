//! Reciprocal rank fusion of ranked lists.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

/// A ranked list to be fused.
#[derive(Clone, Copy, Debug)]
pub struct Arm<'a, Id> {
    /// Its weight: finite, at least 0.
    pub weight: f64,
    /// Best first; the first has rank 1. Of an id that occurs twice the first occurrence counts.
    pub ids: &'a [Id],
}

/// A fused hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused<Id> {
    /// What was found.
    pub id: Id,
    /// Sum of `weight / (k + rank)` over the arms that found it; higher is better.
    pub score: f64,
    /// Its rank in each arm, from 1, in the order of the arms; None where the arm did not find it.
    pub ranks: Vec<Option<u32>>,
}

/// Fuses `arms`, as many as there are, by reciprocal rank: Cormack, Clarke and Buettcher, "Reciprocal Rank
/// Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009, with a weight per arm.
///
/// Ordered by score, highest first, then by id, lowest first. Scores are summed in the order of the arms, so
/// equal input gives equal bits. `k` is finite and at least 0 (60 in the paper): the larger, the less the
/// first ranks stand out.
pub fn reciprocal_rank_fusion<Id: Copy + Ord + Hash>(arms: &[Arm<'_, Id>], k: f64) -> Vec<Fused<Id>> {
    let most = arms.iter().map(|arm| arm.ids.len()).max().unwrap_or(0);
    let mut hits: Vec<Fused<Id>> = Vec::with_capacity(most);
    let mut places = HashMap::with_capacity(most);
    for (arm_index, arm) in arms.iter().enumerate() {
        for (rank, &id) in (1_u32..).zip(arm.ids) {
            let place = *places.entry(id).or_insert(hits.len());
            if place == hits.len() {
                hits.push(Fused { id, score: 0.0, ranks: vec![None; arms.len()] });
            }
            let hit = &mut hits[place];
            if hit.ranks[arm_index].is_none() {
                hit.ranks[arm_index] = Some(rank);
                hit.score += arm.weight / (k + f64::from(rank));
            }
        }
    }
    hits.sort_unstable_by(best_first);
    hits
}

fn best_first<Id: Ord>(a: &Fused<Id>, b: &Fused<Id>) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id))
}
