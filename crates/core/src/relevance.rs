//! How a similarity is shown to people: as a relevance from 0 to 1, which means the same whatever the model. Similarities do not:
//! one model gives .3 to unrelated texts, another .8.

/// The relevances of the points of a scale.
const RELEVANCES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The scale of a model: the similarities that stand for a relevance of 0, .25, .5, .75 and 1. Between them it rises evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale([f64; 5]);

impl Default for Scale {
    /// That of models that were not measured.
    fn default() -> Scale {
        Scale([0.0, 0.3, 0.5, 0.7, 1.0])
    }
}

impl Scale {
    /// A scale of these similarities. None unless they are finite and rise.
    pub fn new(similarities: [f64; 5]) -> Option<Scale> {
        let rises = similarities.windows(2).all(|pair| pair[0] < pair[1]);
        (rises && similarities.iter().all(|point| point.is_finite())).then_some(Scale(similarities))
    }

    /// The relevance, from 0 to 1, of a text with this similarity to the question.
    pub fn relevance(&self, similarity: f64) -> f64 {
        let points = self.0.iter().zip(RELEVANCES);
        let mut below = (f64::NEG_INFINITY, 0.0);
        for (&point, relevance) in points {
            if similarity <= point {
                let part = (similarity - below.0) / (point - below.0);
                return if below.0.is_finite() { below.1 + part * (relevance - below.1) } else { 0.0 };
            }
            below = (point, relevance);
        }
        below.1
    }
}

/// The word for a relevance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// More likely an answer than not.
    Good,
    /// Possibly one.
    Fair,
    /// Hardly one.
    Weak,
}

impl Grade {
    /// The word for a relevance.
    pub fn of(relevance: f64) -> Grade {
        match relevance {
            relevance if relevance >= 0.5 => Grade::Good,
            relevance if relevance >= 0.25 => Grade::Fair,
            _ => Grade::Weak,
        }
    }

    /// In English.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Good => "good",
            Grade::Fair => "fair",
            Grade::Weak => "weak",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MEASURED: [f64; 5] = [0.22, 0.3, 0.41, 0.63, 0.78];

    #[test]
    fn the_points_have_their_relevances() {
        let scale = Scale::new(MEASURED).unwrap();
        for (point, relevance) in MEASURED.into_iter().zip(RELEVANCES) {
            assert_eq!(scale.relevance(point), relevance);
        }
        assert!((scale.relevance(0.355) - 0.375).abs() < 1e-9);
        for (similarity, relevance) in [(-1.0, 0.0), (0.0, 0.0), (0.9, 1.0), (1.0, 1.0), (1.000_001, 1.0)] {
            assert_eq!(scale.relevance(similarity), relevance);
        }
    }

    #[test]
    fn points_rise() {
        assert_eq!(Scale::new([0.1, 0.1, 0.2, 0.3, 0.4]), None);
        assert_eq!(Scale::new([0.1, 0.2, 0.3, 0.4, f64::INFINITY]), None);
        assert_eq!(Scale::new([0.1, 0.2, f64::NAN, 0.4, 0.5]), None);
    }

    #[test]
    fn grades_begin_at_their_relevance() {
        let names = [0.0, 0.249, 0.25, 0.499, 0.5, 1.0].map(|relevance| Grade::of(relevance).name());
        assert_eq!(names, ["weak", "weak", "fair", "fair", "good", "good"]);
    }

    proptest! {
        #[test]
        fn relevance_rises_from_0_to_1(
            steps in prop::array::uniform5(0.001_f64..0.4), low in -1.0_f64..1.2, more in 0.0_f64..1.0,
        ) {
            let mut sum = -0.5;
            let scale = Scale::new(steps.map(|step| { sum += step; sum })).unwrap();
            let (less, more) = (scale.relevance(low), scale.relevance(low + more));
            prop_assert!((0.0..=1.0).contains(&less) && less <= more && more <= 1.0);
        }
    }
}
