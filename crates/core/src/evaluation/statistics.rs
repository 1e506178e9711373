//! Means with intervals, and paired comparisons.

use super::random::Random;

/// Numbers are the same in each run.
const SEED: u64 = 45;
/// Resamples of the bootstrap: more change the second digit of an interval no longer.
const RESAMPLES: usize = 2_000;
/// Rounds of the randomization test.
pub const ROUNDS: usize = 10_000;
/// Fewer questions tell nothing.
pub const MIN_QUESTIONS: usize = 30;
/// Nor do fewer questions with a difference: with 5, p cannot be below .05 in a test of both sides.
pub const MIN_DIFFERENT: usize = 6;
/// Differences up to this are noise of floating point.
const EPSILON: f64 = 1e-12;
/// A difference is shown if p is below.
const SIGNIFICANCE: f64 = 0.05;

/// A value of a question and the weight of the question, which is positive.
pub type Weighted = (f64, f64);

/// The weighted mean; None of nothing.
pub fn mean(values: &[Weighted]) -> Option<f64> {
    let weight: f64 = values.iter().map(|(_, weight)| weight).sum();
    (weight > 0.0).then(|| values.iter().map(|(value, weight)| value * weight).sum::<f64>() / weight)
}

/// An interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The interval of the weighted mean by the percentile bootstrap over questions (Efron and Tibshirani, 1993). None of nothing.
/// `between` is called between resamples: it may end the work with an error.
pub fn interval<E>(
    values: &[Weighted],
    mut between: impl FnMut() -> Result<(), E>,
) -> Result<Option<Interval>, E> {
    if values.is_empty() {
        return Ok(None);
    }
    let mut random = Random::with_seed(SEED);
    let mut means = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        between()?;
        let (mut sum, mut weights) = (0.0, 0.0);
        for _ in 0..values.len() {
            let (value, weight) = values[random.below(values.len())];
            sum += value * weight;
            weights += weight;
        }
        means.push(sum / weights);
    }
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((RESAMPLES - 1) as f64 * share).round() as usize];
    Ok(Some(Interval { low: at(0.025), high: at(0.975) }))
}

/// Two configurations on the same questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Weighted mean of b − a.
    pub difference: f64,
    /// That of the difference.
    pub interval: Interval,
    /// Questions on which b is better.
    pub won: usize,
    /// Questions on which a is better.
    pub lost: usize,
    /// The others.
    pub even: usize,
    /// None if there are too few questions, or too few that differ.
    pub p: Option<f64>,
}

/// Compares by the differences b − a of each question. Paired randomization of both sides (Smucker, Allan and Carterette, 2007): p =
/// (1 + rounds at least as extreme) / (1 + rounds). None of nothing.
pub fn compare<E>(
    differences: &[Weighted],
    mut between: impl FnMut() -> Result<(), E>,
) -> Result<Option<Comparison>, E> {
    let (Some(difference), Some(interval)) = (mean(differences), interval(differences, &mut between)?) else {
        return Ok(None);
    };
    let won = differences.iter().filter(|(value, _)| *value > EPSILON).count();
    let lost = differences.iter().filter(|(value, _)| *value < -EPSILON).count();
    let is_enough = differences.len() >= MIN_QUESTIONS && won + lost >= MIN_DIFFERENT;
    let p = is_enough.then(|| randomized(differences, &mut between)).transpose()?;
    Ok(Some(Comparison { difference, interval, won, lost, even: differences.len() - won - lost, p }))
}

fn randomized<E>(differences: &[Weighted], mut between: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let sums: Vec<f64> =
        differences.iter().map(|(value, weight)| value * weight).filter(|sum| sum.abs() > EPSILON).collect();
    let observed = sums.iter().sum::<f64>().abs();
    let mut random = Random::with_seed(SEED);
    let mut extreme = 0usize;
    for _ in 0..ROUNDS {
        between()?;
        let mut sum = 0.0;
        for group in sums.chunks(u64::BITS as usize) {
            let mut signs = random.bits();
            for value in group {
                sum += if signs & 1 == 0 { *value } else { -*value };
                signs >>= 1;
            }
        }
        extreme += usize::from(sum.abs() >= observed - EPSILON * sums.len() as f64);
    }
    Ok((1 + extreme) as f64 / (1 + ROUNDS) as f64)
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Too few questions, or too few that differ.
    TooFew,
    /// b is better.
    Better,
    /// a is better.
    Worse,
    /// The difference may be chance.
    NotShown,
}

impl Verdict {
    /// That of a difference with its p, corrected where several were compared.
    pub fn of(difference: f64, p: Option<f64>) -> Verdict {
        match p {
            None => Verdict::TooFew,
            Some(p) if p >= SIGNIFICANCE => Verdict::NotShown,
            Some(_) if difference > 0.0 => Verdict::Better,
            Some(_) => Verdict::Worse,
        }
    }

    /// Its words in SQL.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::TooFew => "too few to tell",
            Verdict::Better => "b is better",
            Verdict::Worse => "a is better",
            Verdict::NotShown => "no difference shown",
        }
    }
}

/// Corrects the p of several comparisons (Holm, 1979). What has no p is no comparison.
pub fn holm(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> =
        values.iter().enumerate().filter_map(|(place, p)| Some((place, (*p)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut corrected = vec![None; values.len()];
    let mut least = 0.0f64;
    for (at, (place, p)) in order.iter().enumerate() {
        least = least.max((p * (order.len() - at) as f64).min(1.0));
        corrected[*place] = Some(least);
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn go_on() -> Result<(), Infallible> {
        Ok(())
    }

    fn compared(differences: &[Weighted]) -> Comparison {
        let Ok(found) = compare(differences, go_on);
        found.unwrap()
    }

    #[test]
    fn a_clear_difference_is_shown_and_chance_is_not() {
        let clear: Vec<Weighted> = (0..40).map(|n| (if n < 20 { 0.5 } else { 0.0 }, 1.0)).collect();
        let found = compared(&clear);
        assert_eq!((found.won, found.lost, found.even), (20, 0, 20));
        assert_eq!(found.difference, 0.25);
        assert!(found.p.unwrap() < 0.001, "{found:?}");
        assert!(found.interval.low > 0.0);
        assert_eq!(Verdict::of(found.difference, found.p), Verdict::Better);
        let reverse: Vec<Weighted> = clear.iter().map(|(value, weight)| (-value, *weight)).collect();
        assert_eq!(Verdict::of(compared(&reverse).difference, compared(&reverse).p), Verdict::Worse);

        let even: Vec<Weighted> = (0..40).map(|n| (if n % 2 == 0 { 0.5 } else { -0.5 }, 1.0)).collect();
        assert_eq!(Verdict::of(0.0, compared(&even).p), Verdict::NotShown);
    }

    /// With few that differ, all signs can be counted: 2 of 64 are as extreme as six wins.
    #[test]
    fn p_is_near_the_exact_one() {
        let six: Vec<Weighted> = (0..40).map(|n| (if n < 6 { 1.0 } else { 0.0 }, 1.0)).collect();
        assert!((compared(&six).p.unwrap() - 2.0 / 64.0).abs() < 0.006, "{:?}", compared(&six));
    }

    #[test]
    fn too_few_say_nothing() {
        let few: Vec<Weighted> = (0..29).map(|_| (1.0, 1.0)).collect();
        assert_eq!(compared(&few).p, None);
        let even: Vec<Weighted> = (0..100).map(|n| (if n < 5 { 1.0 } else { 0.0 }, 1.0)).collect();
        assert_eq!(compared(&even).p, None);
        assert_eq!(Verdict::of(0.05, None), Verdict::TooFew);
        let Ok(nothing) = compare(&[], go_on);
        assert_eq!(nothing, None);
    }

    #[test]
    fn weights_count() {
        assert_eq!(mean(&[(1.0, 3.0), (0.0, 1.0)]), Some(0.75));
        let heavy: Vec<Weighted> = (0..40).map(|n| if n == 0 { (-1.0, 100.0) } else { (0.1, 1.0) }).collect();
        assert!(compared(&heavy).difference < 0.0);
    }

    #[test]
    fn holm_corrects_as_published() {
        let corrected = holm(&[Some(0.01), None, Some(0.04), Some(0.03), Some(0.005)]);
        let expected = [Some(0.03), None, Some(0.06), Some(0.06), Some(0.02)];
        for (found, expected) in corrected.iter().zip(expected) {
            assert!(found.zip(expected).is_none_or(|(a, b)| (a - b).abs() < 1e-12), "{corrected:?}");
            assert_eq!(found.is_some(), expected.is_some());
        }
    }

    proptest! {
        #[test]
        fn an_interval_holds_the_mean_of_equal_values(value in 0.0f64..1.0, count in 1usize..50) {
            let Ok(found) = interval(&vec![(value, 2.0); count], go_on);
            let found = found.unwrap();
            prop_assert!((found.low - value).abs() < 1e-9 && (found.high - value).abs() < 1e-9);
        }

        #[test]
        fn an_interval_lies_among_the_values(values in prop::collection::vec((0.0f64..1.0, 0.1f64..4.0), 1..40)) {
            let Ok(found) = interval(&values, go_on);
            let found = found.unwrap();
            prop_assert!(found.low <= found.high && found.low >= 0.0 && found.high <= 1.0);
        }
    }
}
