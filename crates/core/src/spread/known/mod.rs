//! A search over several servers, as far as their answers are known: which of its actions have answers, and which questions the others need.

mod answer;
mod asks;
mod learn;

use core::time::Duration;
use std::collections::{BTreeSet, HashMap};

use super::protocol::{Failure, With};
use crate::lexeme::Held;
use crate::search::{Candidate, Digest, Id, Place};

/// The place of a knowledge base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// The place of its server in the list of servers.
    pub node: usize,
    /// Its place in the list of the server's bases.
    pub base: usize,
}

/// The vector of the question in an embedding space.
#[derive(Clone, Debug)]
pub struct Space {
    /// The homes of bases on different servers, the last one to be asked first for the vector.
    untried: Vec<Home>,
    opened: Option<Result<Vectored, Failed>>,
}

/// The vector; None if the model does not read the question.
type Vectored = (Option<Vec<f32>>, Duration);

#[derive(Clone, Debug)]
struct Failed {
    failure: Failure,
    is_opened: bool,
}

/// An answer that is none to what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unexpected;

type Facts<I, T> = HashMap<Candidate<I>, Option<T>>;
type List<I> = Vec<(I, f64)>;

/// The knowledge of a search over several servers.
#[derive(Clone, Debug)]
pub struct Known<I> {
    homes: Vec<Home>,
    /// The space of each base.
    space_of: Vec<usize>,
    spaces: Vec<Space>,
    with: With,
    /// The lists of each base by keyword, by depth and how many of them decide.
    lists: HashMap<(usize, usize, usize), List<I>>,
    /// The nearest chunks of each base, by depth and candidates.
    nearest: HashMap<(usize, usize, usize), Result<List<I>, Failure>>,
    /// The chunks that keywords found in each base.
    listed: HashMap<usize, BTreeSet<I>>,
    coverage: Facts<I, Held>,
    held: Facts<I, Held>,
    keyword_scores: Facts<I, f64>,
    similarities: Facts<I, f64>,
    readings: Facts<I, (usize, usize)>,
    documents: Facts<I, I>,
    texts: Facts<I, Digest>,
    places: Facts<I, Place<I>>,
    queued: HashMap<usize, bool>,
    lacking: HashMap<usize, bool>,
}

impl<I: Id> Known<I> {
    /// Nothing yet, of bases at these homes, each in the space of this number. `own` is the server that searches: it is asked first for the
    /// vector of the question.
    pub fn new(homes: Vec<Home>, space_of: Vec<usize>, own: Option<usize>, with: With) -> Known<I> {
        let spaces = (0..space_of.iter().map(|space| space + 1).max().unwrap_or(0)).map(|number| {
            let mut untried: Vec<Home> = Vec::new();
            for (home, _) in homes.iter().zip(&space_of).filter(|(_, space)| **space == number) {
                if untried.iter().all(|known| known.node != home.node) {
                    untried.push(*home);
                }
            }
            untried.sort_by_key(|home| Some(home.node) != own);
            untried.reverse();
            Space { untried, opened: None }
        });
        Known {
            spaces: spaces.collect(),
            homes,
            space_of,
            with,
            lists: HashMap::new(),
            nearest: HashMap::new(),
            listed: HashMap::new(),
            coverage: HashMap::new(),
            held: HashMap::new(),
            keyword_scores: HashMap::new(),
            similarities: HashMap::new(),
            readings: HashMap::new(),
            documents: HashMap::new(),
            texts: HashMap::new(),
            places: HashMap::new(),
            queued: HashMap::new(),
            lacking: HashMap::new(),
        }
    }

    /// The caller gave the vector of the question in a space.
    pub fn give(&mut self, space: usize, vector: Vec<f32>) {
        if let Some(space) = self.spaces.get_mut(space) {
            space.opened = Some(Ok((Some(vector), Duration::ZERO)));
        }
    }

    /// The vector of the question in a space, where it is known.
    pub fn vector(&self, space: usize) -> Option<&[f32]> {
        match &self.spaces.get(space)?.opened {
            Some(Ok((vector, _))) => vector.as_deref(),
            _ => None,
        }
    }
}

fn of<I: Id>(base: usize, ids: &[I]) -> impl Iterator<Item = Candidate<I>> {
    ids.iter().map(move |chunk| Candidate { chunk: *chunk, base })
}
