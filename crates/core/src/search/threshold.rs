//! Which similarities are enough.

use super::{Id, Search, arm};

/// How similar texts must be to a question to count as an answer. Both are exceeded, not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thresholds {
    /// The best must exceed this; otherwise there is no answer.
    pub gate: Option<f64>,
    /// Each must exceed this.
    pub filter: Option<f64>,
}

impl Thresholds {
    /// A filter without a gate.
    pub fn of_filter(filter: Option<f64>) -> Thresholds {
        Thresholds { gate: None, filter }
    }

    /// These, or others if there are none. A filter alone stands for itself. A gate alone gets the other filter, but none above it:
    /// what passes a gate is an answer.
    pub fn or(self, others: impl FnOnce() -> Thresholds) -> Thresholds {
        match self {
            Thresholds { gate: None, filter: None } => others(),
            Thresholds { filter: Some(_), .. } => self,
            Thresholds { gate: Some(gate), filter: None } => {
                Thresholds { filter: others().filter.map(|filter| filter.min(gate)), ..self }
            }
        }
    }

    /// Whether a text counts, where the best one has the similarity `best`.
    pub fn pass(&self, similarity: f64, best: f64) -> bool {
        self.gate.is_none_or(|gate| best > gate) && self.filter.is_none_or(|filter| similarity > filter)
    }
}

impl<I: Id, E> Search<I, E> {
    /// Whether a row of a base with such a similarity opens the gate.
    pub(super) fn opens_gate(&self, base: usize, similarity: f64) -> bool {
        self.bases[base].gate.is_some_and(|gate| similarity > gate)
    }

    /// Finds out which gates are open. Besides the nearest rows of each base, those that another arm found count: the index may have
    /// missed them.
    pub(super) fn look_at_gates(&mut self) {
        for arm in &self.arms {
            let arm::Kind::Semantic { space, .. } = arm.kind else { continue };
            let mut found = arm.hits.iter();
            let is_open = self.spaces[space].has_passed
                || found.any(|(id, similarity)| self.opens_gate(id.base, *similarity));
            self.spaces[space].is_open.get_or_insert(is_open);
        }
    }

    /// Whether the gate before the rows of a base is closed.
    pub(super) fn is_closed(&self, base: usize) -> bool {
        let base = &self.bases[base];
        base.gate.is_some() && self.spaces[base.space].is_open == Some(false)
    }

    /// Whether a row of a base with such a similarity, which tells something, is left out.
    pub(super) fn is_too_far(&self, base: usize, similarity: f64) -> bool {
        self.is_closed(base) || self.bases[base].threshold.is_some_and(|least| similarity <= least)
    }
}
