//! Fusing ranked lists: by rank or by score.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

/// A ranked list to be fused.
#[derive(Clone, Copy, Debug)]
pub struct Arm<'a, Id> {
    /// Its weight: finite, at least 0.
    pub weight: f64,
    /// Ids with their scores, which are finite, best first; the first has rank 1. If an id occurs twice, its
    /// first occurrence counts.
    pub hits: &'a [(Id, f64)],
    /// The number of hits that this arm found. The rest, in any order, were found by another arm and only
    /// have a score here.
    pub found: usize,
    /// Distinct ids that this arm cannot compare, such as chunks that have no vector yet: they count here as much as
    /// they do, on average, in the other arms.
    pub incomparable: &'a [Id],
}

/// A fused hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused<Id> {
    /// What was found.
    pub id: Id,
    /// The sum over the arms that found it; higher is better.
    pub score: f64,
    /// Its rank in each arm, from 1, in the order of the arms; None if the arm did not find it. Where ranks are fused, hits with
    /// equal scores have the rank of the first of them.
    pub ranks: Vec<Option<u32>>,
}

/// The order of hits in an arm: by score, higher first, ties by id.
pub fn by_score<Id: Ord>(a: &(Id, f64), b: &(Id, f64)) -> Ordering {
    b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0))
}

/// Gives hits that a search missed their ranks. The first `found` of `hits` are those it found, best first, ties by id; the
/// others only have a score. Of these, each for which `was_missed` holds and that is better than the last one found takes its
/// place among them; as many of the found ones fall behind them, so that `found` stays.
///
/// With `shares_ranks`, as in [`reciprocal_rank_fusion`], the order by id says nothing: one that is equal to the last one found is
/// found, too. Returns how many are found then.
pub fn rank_missed<Id: Copy + Ord>(
    hits: &mut Vec<(Id, f64)>,
    found: usize,
    shares_ranks: bool,
    was_missed: impl Fn(&Id) -> bool,
) -> usize {
    let Some(last) = found.checked_sub(1).and_then(|last| hits.get(last)).copied() else { return found };
    let is_better =
        |hit: &(Id, f64)| if shares_ranks { hit.1 >= last.1 } else { by_score(hit, &last) == Ordering::Less };
    let (missed, others): (Vec<_>, Vec<_>) =
        hits.split_off(found).into_iter().partition(|hit| is_better(hit) && was_missed(&hit.0));
    hits.extend(missed);
    hits.sort_unstable_by(by_score);
    let mut ends = found;
    if shares_ranks {
        let cut = hits.get(found - 1).map(|(_, score)| *score);
        ends += hits.iter().skip(found).take_while(|(_, score)| Some(*score) == cut).count();
    }
    hits.extend(others);
    ends
}

/// Fuses any number of `arms` by reciprocal rank: Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion
/// outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009, with a weight per arm.
///
/// Ordered by score, highest first; then by rank in the first arm, in the second and so on; then by id, lowest first.
/// Scores are summed in the order of the arms, so equal input gives equal bits. `k` is finite and at least 0 (60 in the
/// paper). The larger it is, the less the first ranks stand out. Equal scores in an arm share a rank, that of the first.
pub fn reciprocal_rank_fusion<Id: Copy + Ord + Hash>(arms: &[Arm<'_, Id>], k: f64) -> Vec<Fused<Id>> {
    let found: Vec<Arm<Id>> =
        arms.iter().map(|arm| Arm { hits: arm.hits.get(..arm.found).unwrap_or(arm.hits), ..*arm }).collect();
    fuse(&found, true, |_, rank, _| 1.0 / (k + f64::from(rank)))
}

/// Fuses any number of `arms` by relative score. The scores of each arm are scaled to the range from 0, its
/// worst, to 1, its best, and the weighted results are summed (Fox and Shaw's CombSUM over min-max normalized
/// scores, "Combination of Multiple Searches", TREC-2, 1994). If all scores of an arm are equal, each counts
/// as 1.
///
/// Unlike ranks, scores say how much better a hit is. Fusion works best if every hit has a score in every
/// arm, even where another arm found it.
pub fn relative_score_fusion<Id: Copy + Ord + Hash>(arms: &[Arm<'_, Id>]) -> Vec<Fused<Id>> {
    let ranges: Vec<(f64, f64)> = arms
        .iter()
        .map(|arm| {
            let scores = arm.hits.iter().map(|(_, score)| *score);
            scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| (low.min(s), high.max(s)))
        })
        .collect();
    fuse(arms, false, |arm, _, score| {
        let (low, high) = ranges[arm];
        if high > low { (score - low) / (high - low) } else { 1.0 }
    })
}

/// Sums `weight * share(arm, rank, score)` over the arms. Ordered as [`reciprocal_rank_fusion`] says. With `share_ranks`, hits with
/// equal scores have one rank.
fn fuse<Id: Copy + Ord + Hash>(
    arms: &[Arm<'_, Id>],
    share_ranks: bool,
    share: impl Fn(usize, u32, f64) -> f64,
) -> Vec<Fused<Id>> {
    let max = arms.iter().map(|arm| arm.hits.len()).max().unwrap_or(0);
    let mut hits: Vec<Fused<Id>> = Vec::with_capacity(max);
    let mut places = HashMap::with_capacity(max);
    // The last arm that was counted for each hit, and the weights of all that were.
    let mut counted: Vec<Option<usize>> = Vec::with_capacity(max);
    let mut weights: Vec<f64> = Vec::with_capacity(max);
    for (arm_index, arm) in arms.iter().enumerate() {
        let (mut rank, mut of_run) = (0, f64::NAN);
        for (number, &(id, score)) in (1_u32..).zip(arm.hits) {
            if !share_ranks || score != of_run {
                (rank, of_run) = (number, score);
            }
            let place = *places.entry(id).or_insert(hits.len());
            if place == hits.len() {
                hits.push(Fused { id, score: 0.0, ranks: vec![None; arms.len()] });
                counted.push(None);
                weights.push(0.0);
            }
            if counted[place] != Some(arm_index) {
                counted[place] = Some(arm_index);
                let hit = &mut hits[place];
                hit.ranks[arm_index] = (number as usize <= arm.found).then_some(rank);
                weights[place] += arm.weight;
                hit.score += arm.weight * share(arm_index, rank, score);
            }
        }
    }
    for arm in arms {
        for &place in arm.incomparable.iter().filter_map(|id| places.get(id)) {
            let weight = &mut weights[place];
            if *weight > 0.0 {
                hits[place].score *= (*weight + arm.weight) / *weight;
                *weight += arm.weight;
            }
        }
    }
    hits.sort_unstable_by(best_first);
    hits
}

fn best_first<Id: Ord>(a: &Fused<Id>, b: &Fused<Id>) -> Ordering {
    // An arm that did not find a hit comes after any rank.
    fn ranks<Id>(hit: &Fused<Id>) -> impl Iterator<Item = u32> {
        hit.ranks.iter().map(|rank| rank.unwrap_or(u32::MAX))
    }
    b.score.total_cmp(&a.score).then_with(|| ranks(a).cmp(ranks(b))).then_with(|| a.id.cmp(&b.id))
}
