//! An embedding space: the bases whose vectors are comparable, and what is known of its model.

use super::arm::{Arm, Kind};
use super::{Id, Ranked};

/// With a weight below this, a model does not read the texts: that is said, and no threshold applies.
pub const READ: f64 = 0.5;

/// A space in a search.
#[derive(Debug)]
pub(super) struct Space<I> {
    /// The places of its bases.
    pub members: Vec<usize>,
    pub state: State,
    /// How well the model reads what it found, from 0 to 1. Found out once: deeper searches have the same weight.
    pub reading: Option<f64>,
    /// Whether its gate is open. Found out once: a deeper search adds to what was found.
    pub is_open: Option<bool>,
    /// Whether one of the nearest rows opens it.
    pub has_passed: bool,
    /// What this round found.
    pub hits: Ranked<I>,
}

/// How far the question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing is known yet.
    New,
    /// The model reads the question.
    Open,
    /// The vector of the question is known.
    Embedded,
    /// The model cannot be used, or does not read the question.
    Unusable,
}

impl<I: Id> Space<I> {
    pub fn new(members: Vec<usize>) -> Space<I> {
        Space {
            members,
            state: State::New,
            reading: None,
            is_open: None,
            has_passed: false,
            hits: Vec::new(),
        }
    }

    /// Whether its model reads the texts.
    fn is_read(&self) -> bool {
        self.reading.is_none_or(|reading| reading >= READ)
    }

    /// Whether it can add or compare anything.
    pub fn is_usable(&self, weighs_reading: bool) -> bool {
        self.state == State::Embedded && !(weighs_reading && self.reading == Some(0.0))
    }

    /// Its arm, with the hits of this round. `weighs_reading` says whether its weight depends on the reading: without keywords
    /// there is nothing better.
    pub fn arm(&mut self, number: usize, weight: f64, weighs_reading: bool, depth: usize) -> Arm<I> {
        let hits = std::mem::take(&mut self.hits);
        let is_usable = self.is_usable(weighs_reading);
        let kind = Kind::Semantic { space: number, is_usable, is_read: self.is_read() };
        if !is_usable {
            return Arm::new(kind, weight, Vec::new(), depth);
        }
        let reading = if weighs_reading { self.reading.unwrap_or(1.0) } else { 1.0 };
        Arm::new(kind, reading * weight, hits, depth)
    }
}
