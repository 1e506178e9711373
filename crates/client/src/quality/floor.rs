//! The least that a figure has to be.

use kb_rag_core::evaluation::Measure;
use serde_json::{Value, json};

use super::run::Figure;
use crate::cli::Evaluate;

/// Differences up to this are noise of floating point.
const EPSILON: f64 = 1e-9;

/// A floor, and the figure that has to reach it.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    measure: Measure,
    least: f64,
    /// None if no question counts.
    value: Option<f64>,
}

impl Floor {
    /// The floors that were given.
    pub fn all_of(arguments: &Evaluate, figures: &[Figure]) -> Vec<Floor> {
        [
            (Measure::FirstHit, arguments.min_first_hit),
            (Measure::Hits5, arguments.min_hit5),
            (Measure::Ndcg10, arguments.min_ndcg),
        ]
        .into_iter()
        .filter_map(|(measure, least)| {
            let value = figures.iter().find(|figure| figure.measure == measure)?.value;
            Some(Floor { measure, least: least?, value })
        })
        .collect()
    }

    pub fn name(&self) -> String {
        format!("{} at least {}", self.measure.name(), self.least)
    }

    /// Why it is not reached; None if it is.
    pub fn failure(&self) -> Option<String> {
        let (name, least) = (self.measure.name(), self.least);
        match self.value {
            None => Some(format!("{name} is unknown, and has to be at least {least}: no question counts")),
            Some(value) if value + EPSILON < least => {
                Some(format!("{name} is {value:.4}, and has to be at least {least}"))
            }
            Some(_) => None,
        }
    }

    pub fn to_json(self) -> Value {
        json!({"measure": self.measure.name(), "least": self.least, "value": self.value, "reached": self.failure().is_none()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_reached_by_the_same_figure() {
        let floor = |value| Floor { measure: Measure::Hits5, least: 0.9, value }.failure();
        assert_eq!(floor(Some(0.9)), None);
        assert_eq!(floor(Some([0.3, 0.3, 0.3].iter().sum())), None);
        assert_eq!(floor(Some(0.89)).as_deref(), Some("hits_5 is 0.8900, and has to be at least 0.9"));
        assert!(floor(None).is_some_and(|said| said.contains("no question counts")));
    }
}
