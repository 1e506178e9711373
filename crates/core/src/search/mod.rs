//! The policy of searching: which lists are asked for, how deep, and what becomes of them.
//!
//! [`Search`] is a state machine without I/O, clock or randomness. [`Search::next_actions`] returns all actions that do not depend on
//! the answer of another one; the caller performs them and gives each answer to the method that the action names. When there is
//! no action left, [`Search::end`] has the results.
//!
//! ```text
//! round: Keyword, Open ─► Coverage, Embed ─► Nearest ─► Read ─► Held, Similarities, KeywordScores ─► Documents, Texts ─► Places ─► Queue ─► Lacking
//!   ▲                                                                                                                      │          │         │
//!   │                                                                                               enough, or none left ──┴─► end ◄──┘         │
//!   └───────────────────────────────────────────────── four times deeper ◄──────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Coverage and Held are asked once, Open, Embed and Read once for each space; the others only as far as they can change the results.
//!
//! # The order of steps
//!
//! Arms with their filter, what is left out, fusion, the cap of documents, copies, windows, and last `offset` and `count`. So the first
//! rows are the same for every `count` and `offset`.
//!
//! # Arms
//!
//! - The keyword arm is one list over all bases, by score. Each embedding space has a semantic arm over its bases, by
//!   similarity: similarities of different models are not comparable.
//! - An arm gives its first 80 candidates, a semantic arm whose ranks are fused its first 50. What a round adds comes after
//!   what earlier rounds found, so the first results do not depend on how many are wanted.
//! - Where keywords count too, a semantic arm weighs as much as its model reads the texts that it found. If it does not read
//!   them, or the question, it cannot be used.
//! - If vectors count too, the weight of the keyword arm depends on the share of the question that its best chunk holds
//!   ([`weight_of`]).
//! - A candidate gets its score in every arm. One without a vector counts in the semantic arm as much as it does by keyword.
//!   One that the vector index missed gets the rank that it deserves.
//!
//! # What is left out
//!
//! - Behind a closed gate, all hits with a similarity that tells something. Each model has one gate, over the bases with a gate: it is
//!   open if the similarity of any hit of them is above the gate of its base. The first round decides.
//! - Hits whose similarity is not above the threshold of their base. Those without a similarity that tells something stay.
//! - Hits that only vectors found, if vectors have no weight.
//! - Copies: of hits with the same text the best stays, if copies are merged.
//! - More hits of one document than asked for.
//! - Hits that rows before them show entirely, if rows have windows. A window ends where one before it begins.
//!
//! For an answer, the first 20 by keyword of the first round pass gate and threshold if they hold enough of the question
//! ([`is_exact`]).
//!
//! # When it ends
//!
//! With enough results; when no arm with a weight finds more; or when each semantic arm has come down to the threshold or its gate is
//! closed, and no chunk that keywords find lacks a vector.
//!
//! # What cannot be used
//!
//! Every action can be answered with an error. A space whose model cannot be used is left out with a
//! [`Remark::WithoutSpace`]; if there is neither another one nor a keyword arm, the search fails with the first error. Any other
//! answer that is missing is taken for nothing found.

mod account;
mod action;
mod arm;
mod complete;
mod covered;
mod end;
mod found;
mod lists;
mod query;
mod shape;
mod space;
mod threshold;

use core::time::Duration;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::mem;
use std::ops::Range;

use crate::lexeme::Held;

pub use account::{Account, ArmAccount, SpaceAccount};
pub use action::{
    Action, Coverage, Documents, Embed, FirstByKeyword, Keyword, KeywordScores, Lacking, Nearest, Open,
    Queue, Read, Similarities,
};
use arm::Arm;
pub use covered::weight_of;
use found::Found;
pub use lists::{READ_HITS, candidates_alone};
pub use query::{Arguments, Fusion, Mode, Query};
use shape::Row;
pub use shape::{Digest, Place, Placed, Places, Texts, Window};
pub use space::READ;
use space::Space;
pub use threshold::{Thresholds, is_exact};

/// Each arm gives this many candidates at first, whatever the number of results: docs/benchmarks.md shows how it was chosen.
pub const DEPTH: usize = 80;

/// The identifier of a chunk or a document.
pub trait Id: Copy + Ord + Hash {}

impl<I: Copy + Ord + Hash> Id for I {}

/// A chunk of a base: ordered by chunk, then by base, which breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate<I> {
    /// The chunk.
    pub chunk: I,
    /// The place of its base.
    pub base: usize,
}

/// Candidates best first, with their scores.
type Ranked<I> = Vec<(Candidate<I>, f64)>;

/// A knowledge base in the scope of a search.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// The number of its embedding space, from 0.
    pub space: usize,
    /// The similarity that results must exceed.
    pub threshold: Option<f64>,
    /// The similarity that one must exceed for there to be any.
    pub gate: Option<f64>,
    /// The similarity that results with nearly all words of the question must exceed; those with a code of it, none. None if words
    /// do not count.
    pub exact: Option<f64>,
    /// Whether chunks get vectors: otherwise the queue does not know of those without.
    pub makes_vectors: bool,
}

/// A result.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<I> {
    /// The chunk.
    pub id: Candidate<I>,
    /// Its score: that of the arm, or of the fusion.
    pub score: f64,
    /// Its similarity to the question, where it is known.
    pub similarity: Option<f64>,
    /// Whether the similarity tells something: the model reads the texts that were found.
    pub is_reliable: bool,
    /// Its score by keyword, above 0.
    pub keyword_score: Option<f64>,
    /// Its rank by keyword, from 1.
    pub keyword_rank: Option<u32>,
    /// Its rank in the semantic arm that found it, from 1.
    pub semantic_rank: Option<u32>,
    /// The characters of its document that it shows, from 0. None for its chunk.
    pub window: Option<Range<u32>>,
    /// Other hits with its text, in the order in which they would come.
    pub copies: Vec<Candidate<I>>,
}

/// What a user should know about a search.
#[derive(Debug)]
pub enum Remark<E> {
    /// The model of a space does not read the question.
    QuestionUnread {
        /// The space.
        space: usize,
    },
    /// The model of a space does not read the texts found, or hardly.
    TextsUnread {
        /// The space.
        space: usize,
        /// The weight of its arm, from 0 to 1.
        weight: f64,
    },
    /// The model of a space cannot be used.
    WithoutSpace {
        /// The space.
        space: usize,
        /// Why.
        error: E,
    },
    /// Something else could not be found out about a base.
    Without {
        /// Why.
        error: E,
    },
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Round,
    Embed,
    Nearest,
    Read,
    Complete,
    Fuse,
    Places,
    Cap,
    Queue,
    Lacking,
    End,
}

/// A search in progress. `I` identifies chunks and documents, `E` is an error.
#[derive(Debug)]
pub struct Search<I, E> {
    query: Query,
    bases: Vec<Base>,
    spaces: Vec<Space<I>>,
    /// The depth of this round.
    depth: usize,
    step: Step,
    /// What this round found by keyword.
    by_keyword: Ranked<I>,
    /// The shares of the question that the best chunk by keyword holds; None if that was not asked.
    held: Option<Held>,
    /// The shares of the question that the first chunks by keyword of the first round hold; None if that was not asked.
    first_held: Option<HashMap<Candidate<I>, Held>>,
    arms: Vec<Arm<I>>,
    /// Those by keyword whose vectors are compared whatever the index found. None where all are.
    first: Option<BTreeSet<Candidate<I>>>,
    found: Found<I>,
    /// How many results are gone since they were found.
    gone: usize,
    /// What was asked in earlier rounds: scores by keyword, and similarities; None for a chunk without one.
    keyword_scores: HashMap<Candidate<I>, Option<f64>>,
    similarities: HashMap<Candidate<I>, Option<f64>>,
    documents: HashMap<Candidate<I>, I>,
    /// None for a chunk without one.
    texts: HashMap<Candidate<I>, Option<Digest>>,
    places: HashMap<Candidate<I>, Option<Place<I>>>,
    /// The bases that may have chunks without a vector, which are looked for one after the other.
    may_lack: Vec<usize>,
    lacks: bool,
    /// Models that cannot be used, of this round.
    failed: Vec<(usize, E)>,
    remarks: Vec<Remark<E>>,
    embedding_time: Duration,
    error: Option<E>,
}

impl<I: Id, E> Search<I, E> {
    /// A search over these bases. Each arm gives `depth` candidates in the first round, [`DEPTH`] outside of tests.
    pub fn new(query: Query, bases: Vec<Base>, depth: usize) -> Search<I, E> {
        let spaces = bases.iter().map(|base| base.space + 1).max().unwrap_or(0);
        let members = |space| (0..bases.len()).filter(|place| bases[*place].space == space).collect();
        Search {
            query,
            spaces: (0..spaces).map(|space| Space::new(members(space))).collect(),
            step: if bases.is_empty() { Step::End } else { Step::Round },
            bases,
            depth: depth.max(1),
            by_keyword: Vec::new(),
            held: None,
            first_held: None,
            arms: Vec::new(),
            first: None,
            found: Found::default(),
            gone: 0,
            keyword_scores: HashMap::new(),
            similarities: HashMap::new(),
            documents: HashMap::new(),
            texts: HashMap::new(),
            places: HashMap::new(),
            may_lack: Vec::new(),
            lacks: false,
            failed: Vec::new(),
            remarks: Vec::new(),
            embedding_time: Duration::ZERO,
            error: None,
        }
    }

    /// The next actions, none of which depends on the answer of another; none at the end.
    pub fn next_actions(&mut self) -> Vec<Action<I>> {
        loop {
            let (actions, next) = match self.step {
                Step::Round => (self.begin_round(), Step::Embed),
                Step::Embed => (self.embed(), Step::Nearest),
                Step::Nearest => (self.search_vectors(), Step::Read),
                Step::Read => (self.read_texts(), Step::Complete),
                Step::Complete => (self.complete(), Step::Fuse),
                Step::Fuse => (self.fuse_arms(), Step::Places),
                Step::Places => self.ask_places(),
                Step::Cap => self.look_for_end(),
                Step::Queue => (self.ask_queue(), Step::Lacking),
                Step::Lacking => self.look_for_lacking(),
                Step::End => return Vec::new(),
            };
            self.step = if self.error.is_some() { Step::End } else { next };
            if !actions.is_empty() && self.step != Step::End {
                return actions;
            }
        }
    }

    /// What a user should know, since the last call.
    pub fn take_remarks(&mut self) -> Vec<Remark<E>> {
        mem::take(&mut self.remarks)
    }

    /// How long the question was embedded.
    pub fn embedding_time(&self) -> Duration {
        self.embedding_time
    }

    /// The results, best first, or the error of the first model that cannot be used.
    pub fn end(self) -> Result<Vec<Hit<I>>, E> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.hits()),
        }
    }

    /// The results, best first. None where [`Search::end`] has an error.
    pub fn results(&self) -> Option<Vec<Hit<I>>> {
        self.error.is_none().then(|| self.hits())
    }

    fn hits(&self) -> Vec<Hit<I>> {
        let rows: Vec<Row> = self.rows().0.into_iter().skip(self.query.offset).collect();
        let copies = self.copies(&rows);
        rows.into_iter().zip(copies).map(|(row, copies)| self.found.hit(row, copies)).collect()
    }

    /// Results that are gone since they were found. The search goes on: the next ones take their places.
    pub fn without(&mut self, gone: &[Candidate<I>]) {
        self.found.remove(gone);
        self.gone += gone.len();
        if self.error.is_none() && !self.bases.is_empty() {
            // As deep as before: a list that ended with the last result goes on.
            self.step = Step::Round;
        }
    }

    fn or_remark<T>(&mut self, answer: Result<T, E>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.remarks.push(Remark::Without { error });
                None
            }
        }
    }

    fn or_nothing<T: Default>(&mut self, answer: Result<T, E>) -> T {
        self.or_remark(answer).unwrap_or_default()
    }
}
