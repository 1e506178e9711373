//! Which similarities are enough.

use std::collections::{BTreeMap, HashMap};

use super::{Action, Candidate, FirstByKeyword, Id, Search, arm};
use crate::lexeme::Held;

/// How similar texts must be to a question to count as an answer. Both are exceeded, not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thresholds {
    /// The best must exceed this; otherwise there is no answer.
    pub gate: Option<f64>,
    /// Each must exceed this.
    pub filter: Option<f64>,
    /// A chunk with nearly all words of the question needs to exceed only this; one with a code of the question passes at any
    /// similarity. None if words do not count.
    pub exact: Option<f64>,
}

/// So many of the first hits by keyword can pass by their words: were it all, a search would go on to the end of the base.
const EXACT: usize = 20;
/// The share of a question that a chunk with one of its numbers or codes holds at least, to pass whatever its similarity.
const WITH_CODE: f64 = 0.5;
/// The share of a question that nearly all of its words are.
const NEARLY_ALL: f64 = 0.8;

/// Whether a chunk that holds so much of a question passes by its words. Embedding models hardly tell a number or code from
/// another; and a question of one word is not similar to any text. `least` is [`Thresholds::exact`]. docs/benchmarks.md shows how the
/// numbers were chosen.
pub fn is_exact(held: Held, similarity: f64, least: f64) -> bool {
    held.codes > 0.0 && held.words >= WITH_CODE || held.words >= NEARLY_ALL && similarity > least
}

impl Thresholds {
    /// A filter without a gate.
    pub fn of_filter(filter: Option<f64>) -> Thresholds {
        Thresholds { filter, ..Thresholds::default() }
    }

    /// These, or others if there are none. A filter alone stands for itself, and words do not pass it. A gate alone gets the other
    /// filter, but none above it: what passes a gate is an answer.
    pub fn or(self, others: Thresholds) -> Thresholds {
        match self {
            Thresholds { gate: None, filter: None, .. } => others,
            Thresholds { filter: Some(_), .. } => Thresholds { exact: None, ..self },
            Thresholds { gate: Some(gate), filter: None, .. } => Thresholds {
                gate: Some(gate),
                filter: others.filter.map(|filter| filter.min(gate)),
                ..others
            },
        }
    }

    /// Whether a text counts, if the best one has the similarity `best`.
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

    /// Whether a row with such a similarity, which tells something, is left out.
    pub(super) fn is_too_far(&self, id: &Candidate<I>, similarity: f64) -> bool {
        let base = &self.bases[id.base];
        let is_far = self.is_closed(id.base) || base.threshold.is_some_and(|least| similarity <= least);
        let held = self.first_held.as_ref().and_then(|first| first.get(id));
        let passes = held.zip(base.exact).is_some_and(|(held, least)| is_exact(*held, similarity, least));
        is_far && !passes
    }

    /// Whether the rows of a base are answers only if they hold a word of the question, because its model hardly reads the texts.
    pub(super) fn needs_word(&self, base: usize) -> bool {
        let base = &self.bases[base];
        let is_unread = || self.arms.iter().any(|arm| arm.is_unread() && arm.covers(base.space));
        self.query.uses_keywords() && base.exact.is_some() && is_unread()
    }

    /// Asks in the first round for the shares of the question that the first chunks by keyword hold, if some may pass by them.
    pub(super) fn ask_held(&mut self) -> Vec<Action<I>> {
        if !self.query.lets_exact_pass() || self.first_held.is_some() {
            return Vec::new();
        }
        let by_keyword = self.arms.iter().filter(|arm| arm.is_keyword());
        let mut asked: BTreeMap<usize, Vec<I>> = BTreeMap::new();
        for (id, _) in by_keyword.flat_map(|arm| arm.hits.iter().take(EXACT)) {
            if self.bases[id.base].exact.is_some() {
                asked.entry(id.base).or_default().push(id.chunk);
            }
        }
        self.first_held = Some(HashMap::new());
        asked.into_iter().map(|(base, ids)| Action::Held(FirstByKeyword { base, ids })).collect()
    }

    /// The shares of the question that the first chunks by keyword hold.
    pub fn held(&mut self, action: FirstByKeyword<I>, held: Result<Vec<(I, Held)>, E>) {
        let base = action.base;
        let held = self.or_nothing(held);
        let held = held.into_iter().map(|(chunk, held)| (Candidate { chunk, base }, held));
        self.first_held.get_or_insert_default().extend(held);
    }
}
