//! What a search came to, for explanations.

use super::arm::Kind;
use super::{Id, Search};
use crate::lexeme::Held;

/// The state of a search that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The depth of the last round.
    pub depth: usize,
    /// The shares of the question that the best chunk by keyword holds; None if that was not asked.
    pub held: Option<Held>,
    /// The arms, whose lists were fused.
    pub arms: Vec<ArmAccount>,
    /// How each space is read.
    pub spaces: Vec<SpaceAccount>,
}

/// An arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmAccount {
    /// The space of a semantic arm; None for the keyword arm.
    pub space: Option<usize>,
    /// Its weight in the fusion, with coverage and reading.
    pub weight: f64,
    /// How many candidates it found itself.
    pub found: usize,
    /// Whether its model can be used and reads the question; true for the keyword arm.
    pub is_usable: bool,
}

/// An embedding space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpaceAccount {
    /// How well the model reads what it found, from 0 to 1; None if that was not asked.
    pub reading: Option<f64>,
}

impl<I: Id, E> Search<I, E> {
    /// What it came to.
    pub fn account(&self) -> Account {
        let arms = self.arms.iter().map(|arm| {
            let (space, is_usable) = match arm.kind {
                Kind::Keyword => (None, true),
                Kind::Semantic { space, is_usable, .. } => (Some(space), is_usable),
            };
            ArmAccount { space, weight: arm.weight, found: arm.found, is_usable }
        });
        let spaces = self.spaces.iter().map(|space| SpaceAccount { reading: space.reading });
        Account { depth: self.depth, held: self.held, arms: arms.collect(), spaces: spaces.collect() }
    }
}
