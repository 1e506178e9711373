//! The figures of one question, from the ranks at which what it expects was found.

/// The depth of nDCG.
const DEPTH: usize = 10;
/// The depth of the second kind of hits.
const NEAR_TOP: usize = 5;

/// One of the measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// 1 if the first result is expected.
    FirstHit,
    /// 1 if one of the first five is.
    Hits5,
    /// 1 if one of all is.
    HitsK,
    /// 1 / rank of the first that is.
    ReciprocalRank,
    /// Normalized discounted cumulative gain of the first ten.
    Ndcg10,
}

/// All measures, in the order of the documentation.
pub const MEASURES: [Measure; 5] =
    [Measure::FirstHit, Measure::Hits5, Measure::HitsK, Measure::ReciprocalRank, Measure::Ndcg10];

impl Measure {
    /// Its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Measure::FirstHit => "first_hit",
            Measure::Hits5 => "hits_5",
            Measure::HitsK => "hits_k",
            Measure::ReciprocalRank => "mrr",
            Measure::Ndcg10 => "ndcg_10",
        }
    }
}

/// The figures of a question, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// The best rank of anything expected, from 1.
    pub rank: Option<usize>,
    /// Normalized discounted cumulative gain of the first ten.
    pub ndcg_10: f64,
}

impl Figures {
    /// Those of the ranks, from 1, of all that was expected; None for what was not found. What one result holds counts once.
    /// nDCG with relevance 0 or 1 and a discount of 1 / log2(rank + 1): Järvelin and Kekäläinen, 2002.
    pub fn of_ranks(ranks: &[Option<usize>]) -> Figures {
        let mut found: Vec<usize> = ranks.iter().flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        let expected = found.len() + ranks.iter().filter(|rank| rank.is_none()).count();
        let gain: f64 = found.iter().filter(|rank| **rank <= DEPTH).map(|rank| discount(*rank)).sum();
        let ideal: f64 = (1..=expected.min(DEPTH)).map(discount).sum();
        Figures { rank: found.first().copied(), ndcg_10: if gain > 0.0 { gain / ideal } else { 0.0 } }
    }

    /// One of them.
    pub fn of(&self, measure: Measure) -> f64 {
        let within = |depth: usize| f64::from(u8::from(self.rank.is_some_and(|rank| rank <= depth)));
        match measure {
            Measure::FirstHit => within(1),
            Measure::Hits5 => within(NEAR_TOP),
            Measure::HitsK => within(usize::MAX),
            Measure::ReciprocalRank => self.rank.map_or(0.0, |rank| 1.0 / rank as f64),
            Measure::Ndcg10 => self.ndcg_10,
        }
    }
}

fn discount(rank: usize) -> f64 {
    1.0 / (rank as f64 + 1.0).log2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn figures_of_known_ranks() {
        let figures = Figures::of_ranks(&[Some(3), None, Some(1)]);
        assert_eq!(figures.rank, Some(1));
        let ideal = 1.0 + 1.0 / 3f64.log2() + 0.5;
        assert!((figures.ndcg_10 - 1.5 / ideal).abs() < 1e-12);
        assert_eq!(figures.of(Measure::FirstHit), 1.0);

        let late = Figures::of_ranks(&[Some(6)]);
        assert_eq!([Measure::FirstHit, Measure::Hits5, Measure::HitsK].map(|m| late.of(m)), [0.0, 0.0, 1.0]);
        assert_eq!(late.of(Measure::ReciprocalRank), 1.0 / 6.0);
        assert_eq!(Figures::of_ranks(&[Some(11)]).ndcg_10, 0.0);
        assert_eq!(Figures::of_ranks(&[None]).of(Measure::HitsK), 0.0);
        assert_eq!(Figures::of_ranks(&[]), Figures::default());
    }

    #[test]
    fn what_one_result_holds_counts_once() {
        assert_eq!(Figures::of_ranks(&[Some(1), Some(1)]).ndcg_10, 1.0);
    }

    proptest! {
        #[test]
        fn figures_are_shares(ranks in prop::collection::vec(prop::option::of(1usize..30), 0..8)) {
            let figures = Figures::of_ranks(&ranks);
            for measure in MEASURES {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&figures.of(measure)));
            }
            prop_assert!(figures.of(Measure::FirstHit) <= figures.of(Measure::Hits5));
            prop_assert!(figures.of(Measure::Hits5) <= figures.of(Measure::HitsK));
        }
    }
}
