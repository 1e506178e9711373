//! Which chunks can still be among the best: pruning as in MaxScore (Turtle and Flood, "Query Evaluation:
//! Strategies and Optimizations", 1995), written as a condition that an inverted index can evaluate.
//!
//! A lexeme adds at most a bound to a score, and the bound depends on its level in the chunk (see
//! [`super::impact`]). A chunk can reach a score only if the bounds of its lexemes add up to it. For two
//! common lexemes and a rare one, the condition may be: the rare one, or both of the others, one of them at a
//! high level.

use std::collections::BTreeSet;

use super::impact::LEVEL_COUNT;

/// The most keys in a condition that distinguishes lexemes: the index evaluates it for every candidate.
const MOST_KEYS: usize = 256;
/// The most lexemes that are distinguished.
const MOST_DEPTH: usize = 8;
/// The costs of fetching and scoring a chunk, of finding a place in the list of a key, and of reading on in
/// it, in units of evaluating one key of a condition (about 7 ns).
const CHUNK_COST: f64 = 150.0;
const SEEK_COST: f64 = 500.0;
const READ_COST: f64 = 1.5;
/// Sets of levels that a condition may ask for. Fewer levels make it shorter.
const LEVEL_SETS: [&[usize]; 4] = [&[0, 1, 2, 3], &[0, 2, 3], &[0, 2], &[0]];
/// Sums of bounds are counted in this many steps.
const STEPS: usize = 512;

/// The most that a lexeme can add to a score, by its level in the chunk. Positive, and not less at a higher
/// level.
pub type Bounds = [f64; LEVEL_COUNT];

/// A monotone condition on which lexemes a chunk has, and at which level.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The chunk contains this lexeme (an index into the list of bounds) at this level or a higher one.
    Key(usize, usize),
    /// All of these hold.
    All(Vec<Condition>),
    /// One of these holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// Selects the chunks with at least one lexeme whose bounds add up to `need` or more. It may select
    /// others too: a shorter condition can cost less than the extra chunks. None if no chunk can reach
    /// `need`. The lexemes must be in descending order of the most they can add; `shares` gives the share of
    /// chunks that contain each.
    pub fn reaching(bounds: &[Bounds], shares: &[f64], need: f64) -> Option<Condition> {
        if need <= 0.0 {
            return any_of((0..bounds.len()).map(|lexeme| Condition::Key(lexeme, 0)).collect());
        }
        // A margin for rounding: an extra chunk is merely scored, a missing one would be lost.
        let need = need * (1.0 - 1e-9);
        let sums = suffix_sums(bounds);
        let coarse = essential(&sums, 0, need)?;
        let candidates = share_of_any(&coarse, shares);
        let cost = |condition: &Condition, share: f64| {
            let keys = condition.keys();
            let lists: f64 = BTreeSet::from_iter(&keys)
                .into_iter()
                .map(|(lexeme, level)| {
                    let share: f64 = levels_of_share(shares[*lexeme])[*level..].iter().sum();
                    (share * READ_COST).min(candidates * SEEK_COST)
                })
                .sum();
            share * CHUNK_COST + candidates * keys.len() as f64 + lists
        };
        let mut best = (cost(&coarse, candidates), coarse);
        for depth in 1..=bounds.len().min(MOST_DEPTH) {
            for levels in LEVEL_SETS {
                let mut builder = Builder { bounds, shares, sums: &sums, levels, depth, keys: 0 };
                let Ok((Built::If(condition), share)) = builder.build(0, need) else { continue };
                let cost = cost(&condition, share);
                if cost < best.0 {
                    best = (cost, condition);
                }
            }
        }
        Some(best.1)
    }

    /// The lexemes and levels it asks for, including repetitions.
    fn keys(&self) -> Vec<(usize, usize)> {
        match self {
            Condition::Key(lexeme, level) => vec![(*lexeme, *level)],
            Condition::All(parts) | Condition::Any(parts) => parts.iter().flat_map(Condition::keys).collect(),
        }
    }

    /// Whether it holds for a chunk. `level` gives the level of a lexeme in the chunk, None if absent.
    pub fn holds(&self, level: &impl Fn(usize) -> Option<usize>) -> bool {
        match self {
            Condition::Key(lexeme, least) => level(*lexeme).is_some_and(|level| level >= *least),
            Condition::All(all) => all.iter().all(|condition| condition.holds(level)),
            Condition::Any(any) => any.iter().any(|condition| condition.holds(level)),
        }
    }
}

/// The score that about this share of the chunks can reach, if lexemes were independent of each other; 0 if
/// fewer chunks contain any lexeme at all. `shares` gives the share of chunks that contain each lexeme.
pub fn need_for_share(bounds: &[Bounds], shares: &[f64], wanted: f64) -> f64 {
    let total = suffix_sums(bounds).first().copied().unwrap_or_default();
    let step = total / STEPS as f64;
    let mut of_sum = vec![0.0; STEPS + 1];
    of_sum[0] = 1.0;
    for (bounds, share) in bounds.iter().zip(shares) {
        let of_level = levels_of_share(*share);
        for sum in (0..=STEPS).rev() {
            let mut reached = of_sum[sum] * (1.0 - share);
            for (bound, share) in bounds.iter().zip(of_level) {
                let before = sum.checked_sub((bound / step).floor() as usize);
                reached += before.map_or(0.0, |before| of_sum[before] * share);
            }
            of_sum[sum] = reached;
        }
    }
    let mut reached = 0.0;
    for sum in (1..=STEPS).rev() {
        reached += of_sum[sum];
        if reached >= wanted {
            return sum as f64 * step;
        }
    }
    0.0
}

/// The approximate share of chunks in which a lexeme has each level as its highest, given the share of chunks
/// that contain it. Occurrences are assumed to be random (Poisson), but with at least a tenth repeated,
/// because words come in bursts.
fn levels_of_share(share: f64) -> [f64; LEVEL_COUNT] {
    let rate = -(1.0 - share.min(0.999)).ln();
    let mut term = (-rate).exp();
    let mut at_most = term;
    // The share of chunks with at least 2, 3 and 5 occurrences.
    let mut at_least = [0.0; 5];
    for (count, share) in (1..).zip(&mut at_least) {
        *share = 1.0 - at_most;
        term *= rate / f64::from(count);
        at_most += term;
    }
    let [_, two, three, _, five] = at_least;
    let (two, three, five) = (two.max(share * 0.1), three.max(share * 0.02), five.max(share * 0.004));
    [share - two, two - three, three - five, five]
}

/// The most that the lexemes from each index on can add, with 0 at the end.
fn suffix_sums(bounds: &[Bounds]) -> Vec<f64> {
    let mut sums = vec![0.0; bounds.len() + 1];
    for (at, bounds) in bounds.iter().enumerate().rev() {
        sums[at] = sums[at + 1] + most(bounds);
    }
    sums
}

fn most(bounds: &Bounds) -> f64 {
    bounds[LEVEL_COUNT - 1]
}

/// The essential lexemes from `at` on: without any of them, the rest cannot reach `need`, which is above 0.
fn essential(sums: &[f64], at: usize, need: f64) -> Option<Condition> {
    if sums[at] < need {
        return None;
    }
    let end = (at..sums.len()).find(|&end| sums[end] < need).unwrap_or(sums.len());
    any_of((at..end).map(|lexeme| Condition::Key(lexeme, 0)).collect())
}

fn any_of(mut conditions: Vec<Condition>) -> Option<Condition> {
    if conditions.len() > 1 { Some(Condition::Any(conditions)) } else { conditions.pop() }
}

/// The share of chunks with one of the lexemes, if these were independent of each other.
fn share_of_any(condition: &Condition, shares: &[f64]) -> f64 {
    fn none(condition: &Condition, shares: &[f64]) -> f64 {
        match condition {
            Condition::Key(lexeme, _) => 1.0 - shares.get(*lexeme).copied().unwrap_or(1.0),
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().map(|part| none(part, shares)).product()
            }
        }
    }
    1.0 - none(condition, shares)
}

/// Distinguishes the lexemes up to `depth`, and only the given levels. Beyond, the essential lexemes must do.
struct Builder<'a> {
    bounds: &'a [Bounds],
    shares: &'a [f64],
    sums: &'a [f64],
    levels: &'a [usize],
    depth: usize,
    keys: usize,
}

struct TooLong;

#[derive(Clone, PartialEq)]
enum Built {
    Always,
    Never,
    If(Condition),
}

impl Builder<'_> {
    /// The condition on the lexemes from `at` on for them to add up to `need`, and the share of chunks that
    /// satisfy it.
    fn build(&mut self, at: usize, need: f64) -> Result<(Built, f64), TooLong> {
        if need <= 0.0 {
            return Ok((Built::Always, 1.0));
        }
        if at >= self.depth {
            let Some(condition) = essential(self.sums, at, need) else { return Ok((Built::Never, 0.0)) };
            self.count(condition.keys().len())?;
            let share = share_of_any(&condition, self.shares);
            return Ok((Built::If(condition), share));
        }
        if self.sums[at] < need {
            return Ok((Built::Never, 0.0));
        }
        // From no lexeme to the highest level: each step gets a key if it makes a difference.
        let share = self.shares[at];
        let (mut before, of_absent) = self.build(at + 1, need)?;
        let mut reached = of_absent * (1.0 - share);
        let mut ways = match before.clone() {
            Built::If(Condition::Any(all)) => all,
            Built::If(condition) => vec![condition],
            Built::Always | Built::Never => Vec::new(),
        };
        let of_level = levels_of_share(share);
        for (index, &level) in self.levels.iter().enumerate() {
            // Levels that are not asked for count as the next lower one that is.
            let end = self.levels.get(index + 1).copied().unwrap_or(LEVEL_COUNT);
            let (with, of_rest) = self.build(at + 1, need - self.bounds[at][end - 1])?;
            reached += of_rest * of_level[level..end].iter().sum::<f64>();
            if with == before {
                continue;
            }
            self.count(1)?;
            ways.push(match with.clone() {
                Built::If(rest) => Condition::All(vec![Condition::Key(at, level), rest]),
                Built::Always | Built::Never => Condition::Key(at, level),
            });
            before = with;
        }
        Ok((any_of(ways).map_or(Built::Never, Built::If), reached))
    }

    fn count(&mut self, keys: usize) -> Result<(), TooLong> {
        self.keys += keys;
        if self.keys > MOST_KEYS { Err(TooLong) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Bounds of up to `most_lexemes` lexemes, strongest first.
    fn some_bounds(random: &mut Random, most_lexemes: usize) -> Vec<Bounds> {
        let mut between = |low: f64, high: f64| low + random.unit() * (high - low);
        let count = 1.0 + between(0.0, (most_lexemes - 1) as f64);
        let mut bounds: Vec<Bounds> = (0..count as usize)
            .map(|_| {
                let most = between(0.1, 10.0);
                let [a, b, c] = std::array::from_fn(|_| between(0.2, 1.0));
                [most * a * b * c, most * a * b, most * a, most]
            })
            .collect();
        bounds.sort_by(|a, b| most(b).total_cmp(&most(a)));
        bounds
    }

    #[test]
    fn loses_no_chunk() {
        let mut random = Random::new(1, 0);
        for _ in 0..300 {
            let bounds = some_bounds(&mut random, 12);
            let shares: Vec<f64> = (0..12).map(|_| random.unit()).collect();
            let total = suffix_sums(&bounds)[0];
            let need = random.unit() * 1.1 * total;
            let condition = Condition::reaching(&bounds, &shares, need);
            assert!(condition.is_some() || need > total * (1.0 - 1e-9));
            for _ in 0..40 {
                let chunk: Vec<Option<usize>> =
                    (0..12).map(|_| random.below(LEVEL_COUNT + 1).checked_sub(1)).collect();
                let sum: f64 = bounds.iter().zip(&chunk).filter_map(|(b, level)| level.map(|l| b[l])).sum();
                if sum >= need && sum > 0.0 {
                    let holds = condition.as_ref().is_some_and(|c| c.holds(&|lexeme| chunk[lexeme]));
                    assert!(holds, "{bounds:?} {need} {condition:?}");
                }
            }
        }
    }

    #[test]
    fn few_enough_reach_the_need() {
        let mut random = Random::new(2, 0);
        for _ in 0..200 {
            let bounds = some_bounds(&mut random, 6);
            let shares: Vec<f64> = (0..6).map(|_| random.unit() * 0.9).collect();
            let wanted = 0.001 + random.unit() * 0.499;
            let need = need_for_share(&bounds, &shares, wanted);
            // The share of chunks that exceed the need by a step for each lexeme, counted exhaustively.
            let slack = suffix_sums(&bounds)[0] / STEPS as f64 * (bounds.len() + 1) as f64;
            let mut sums = vec![(0.0, 1.0)];
            for (bounds, share) in bounds.iter().zip(shares) {
                let levels = levels_of_share(share);
                assert!((levels.iter().sum::<f64>() - share).abs() < 1e-9);
                sums = sums
                    .iter()
                    .flat_map(|(sum, p)| {
                        let with = bounds.iter().zip(levels).map(move |(b, level)| (sum + b, p * level));
                        with.chain([(*sum, p * (1.0 - share))])
                    })
                    .collect();
            }
            let reached: f64 = sums.iter().filter(|(sum, _)| *sum > need + slack).map(|(_, p)| p).sum();
            assert!(reached <= wanted + 1e-9, "{reached} of {wanted}");
        }
    }

    #[test]
    fn a_rare_lexeme_or_both_common_ones() {
        let plain = |bound: f64| [bound; LEVEL_COUNT];
        let condition =
            Condition::reaching(&[plain(10.0), plain(3.0), plain(2.5)], &[0.01, 0.5, 0.6], 5.0).unwrap();
        let both = Condition::All(vec![Condition::Key(1, 0), Condition::Key(2, 0)]);
        assert_eq!(condition, Condition::Any(vec![both, Condition::Key(0, 0)]));
        assert_eq!(Condition::reaching(&[plain(10.0), plain(3.0)], &[0.1, 0.2], 14.0), None);
        let levels =
            Condition::reaching(&[[1.0, 2.0, 3.0, 4.0], [1.0, 1.5, 2.0, 2.5]], &[0.5, 0.7], 4.4).unwrap();
        let way = |a, b| Condition::All(vec![Condition::Key(0, a), Condition::Key(1, b)]);
        assert_eq!(levels, Condition::Any(vec![way(1, 3), way(2, 1), way(3, 0)]));
    }

    #[test]
    fn a_query_of_thousands_of_words_is_no_longer_than_they_are() {
        let mut bounds: Vec<Bounds> = (0..5000).map(|n| [1.0 + f64::from(n % 97); LEVEL_COUNT]).collect();
        bounds.sort_by(|a, b| most(b).total_cmp(&most(a)));
        let condition =
            Condition::reaching(&bounds, &vec![0.1; 5000], suffix_sums(&bounds)[0] * 0.3).unwrap();
        assert!(condition.holds(&|lexeme| (lexeme < 2500).then_some(0)));
        assert!(!condition.holds(&|lexeme| (lexeme > 4500).then_some(0)));
    }
}
