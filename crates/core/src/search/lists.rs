//! The first part of a round: the lists by keyword and by vectors.

use core::time::Duration;

use super::query::Combination;
use super::space::{READ, State};
use super::{
    Action, Candidate, Coverage, DEPTH, Embed, Id, Keyword, Nearest, Open, Ranked, Read, Remark, Search,
};
use crate::fusion;
use crate::lexeme::Held;

/// The same as [`DEPTH`], for a semantic arm where ranks are fused. The last ranks count little, and the time of the scan grows
/// with it.
const SEMANTIC_DEPTH_BY_RANK: usize = 50;
/// Candidates that the scan of a vector index keeps for each hit.
const CANDIDATES_PER_HIT: f64 = 2.0;
/// The same when all candidates by keyword are compared by their vectors anyway. Slightly above 1, so that a few deleted rows do
/// not force a second scan. docs/benchmarks.md shows what it changes.
const CANDIDATES_BESIDE_COMPARED: f64 = 1.25;
/// So many of the best hits of a space are read, at most.
pub const READ_HITS: usize = 10;

impl<I: Id, E> Search<I, E> {
    pub(super) fn begin_round(&mut self) -> Vec<Action<I>> {
        self.by_keyword.clear();
        let (depth, needed) = (self.depth + self.next(), self.needed());
        let mut actions = Vec::new();
        if self.query.uses_keywords() {
            actions
                .extend((0..self.bases.len()).map(|base| Action::Keyword(Keyword { base, depth, needed })));
        }
        if self.query.uses_vectors() {
            let new = (0..self.spaces.len()).filter(|space| self.spaces[*space].state == State::New);
            let checks_question = self.query.uses_keywords();
            actions.extend(new.map(|space| Action::Open(Open { space, checks_question })));
        }
        actions
    }

    /// How many of the best chunks by keyword decide about the results. Where no other arm and no cap or merge changes the list, those are
    /// the results themselves; chunks with the score of the last one are told apart by id.
    fn needed(&self) -> usize {
        let is_list = self.query.combination == Combination::Own && self.query.keeps_all();
        if is_list { self.depth.min((self.query.count + self.gone).max(1)) } else { self.depth + self.next() }
    }

    /// How many more are listed than count: by rank one, which shows whether others have the score of the last.
    fn next(&self) -> usize {
        usize::from(self.query.is_by_rank())
    }

    /// The best chunks of a base by keyword, best first, with scores above 0.
    pub fn listed(&mut self, action: Keyword, hits: Result<Vec<(I, f64)>, E>) {
        let hits = self.or_nothing(hits);
        let base = action.base;
        self.by_keyword.extend(hits.into_iter().map(|(chunk, score)| (Candidate { chunk, base }, score)));
    }

    /// Whether the model of a space can be used with the question.
    pub fn opened(&mut self, action: Open, is_read: Result<bool, E>) {
        match is_read {
            Ok(true) => self.set_state(action.space, State::Open),
            Ok(false) => {
                self.set_state(action.space, State::Unusable);
                self.remarks.push(Remark::QuestionUnread { space: action.space });
            }
            Err(error) => self.fail_space(action.space, error),
        }
    }

    pub(super) fn embed(&mut self) -> Vec<Action<I>> {
        // Below those, a base may have better ones than another base listed.
        let needed = self.needed();
        merge(&mut self.by_keyword, needed);
        let open = (0..self.spaces.len()).filter(|space| self.spaces[*space].state == State::Open);
        let mut actions: Vec<Action<I>> = open.map(|space| Action::Embed(Embed { space })).collect();
        // A deeper round has the same best chunk.
        if self.query.weighs_coverage() && self.held.is_none() {
            let best = self.by_keyword.first();
            actions.extend(best.map(|(id, _)| Action::Coverage(Coverage { id: *id })));
        }
        actions
    }

    /// The shares of the question that a chunk holds.
    pub fn covered(&mut self, _: Coverage<I>, held: Result<Held, E>) {
        self.held = Some(self.or_remark(held).unwrap_or(Held::ALL));
    }

    /// Whether there is a vector of the question, and how long that took.
    pub fn embedded(&mut self, action: Embed, time: Result<Duration, E>) {
        match time {
            Ok(time) => {
                self.embedding_time += time;
                self.set_state(action.space, State::Embedded);
            }
            Err(error) => self.fail_space(action.space, error),
        }
    }

    pub(super) fn search_vectors(&mut self) -> Vec<Action<I>> {
        let (depth, candidates) = (self.semantic_depth(), self.candidates_kept());
        let weighs_reading = self.query.uses_keywords();
        let mut actions = Vec::new();
        for (number, space) in self.spaces.iter_mut().enumerate() {
            space.hits.clear();
            if space.is_usable(weighs_reading) {
                let nearest = |base| Action::Nearest(Nearest { base, space: number, depth, candidates });
                actions.extend(space.members.iter().map(|base| nearest(*base)));
            }
        }
        actions
    }

    /// How many hits the semantic arms have in this round, at most.
    pub(super) fn semantic_depth(&self) -> usize {
        if self.query.is_by_rank() { self.depth * SEMANTIC_DEPTH_BY_RANK / DEPTH } else { self.depth }
    }

    /// How many candidates the scan of an index keeps.
    fn candidates_kept(&self) -> usize {
        let is_beside_compared = !self.by_keyword.is_empty() && !self.query.is_by_rank();
        if is_beside_compared {
            (CANDIDATES_BESIDE_COMPARED * self.semantic_depth() as f64) as usize
        } else {
            candidates_alone(self.semantic_depth())
        }
    }

    /// The nearest chunks of a base, nearest first, with their similarity.
    pub fn nearest(&mut self, action: Nearest, hits: Result<Vec<(I, f64)>, E>) {
        let base = action.base;
        match hits {
            Ok(hits) => {
                let passes = hits.iter().any(|(_, similarity)| self.opens_gate(base, *similarity));
                if let Some(space) = self.spaces.get_mut(action.space) {
                    space.has_passed |= passes;
                    let hits = hits.into_iter().map(|(chunk, score)| (Candidate { chunk, base }, score));
                    space.hits.extend(hits);
                }
            }
            Err(error) => self.fail_space(action.space, error),
        }
    }

    pub(super) fn read_texts(&mut self) -> Vec<Action<I>> {
        let depth = self.semantic_depth();
        let mut actions = Vec::new();
        for (number, space) in self.spaces.iter_mut().enumerate() {
            merge(&mut space.hits, depth);
            if space.state != State::Embedded || space.reading.is_some() {
                continue;
            }
            let ids: Vec<Candidate<I>> = space.hits.iter().take(READ_HITS).map(|(id, _)| *id).collect();
            if ids.is_empty() {
                space.reading = Some(1.0);
            } else {
                actions.push(Action::Read(Read { space: number, ids }));
            }
        }
        actions
    }

    /// The weight, from 0 to 1, that chunks which the model reads so well give to its arm; 1 if that is not known.
    pub fn read(&mut self, action: Read<I>, weight: Result<f64, E>) {
        match weight {
            Ok(weight) => {
                if let Some(space) = self.spaces.get_mut(action.space) {
                    space.reading = Some(weight);
                }
                if weight < READ {
                    self.remarks.push(Remark::TextsUnread { space: action.space, weight });
                }
            }
            Err(error) => self.fail_space(action.space, error),
        }
    }

    fn set_state(&mut self, space: usize, state: State) {
        if let Some(space) = self.spaces.get_mut(space) {
            space.state = state;
        }
    }

    fn fail_space(&mut self, space: usize, error: E) {
        if let Some(failed) = self.spaces.get_mut(space).filter(|space| space.state != State::Unusable) {
            failed.state = State::Unusable;
            self.failed.push((space, error));
        }
    }
}

/// How many candidates the scan of a vector index keeps for so many hits, beside no other arm.
pub fn candidates_alone(hits: usize) -> usize {
    (CANDIDATES_PER_HIT * hits as f64) as usize
}

/// One list of the best `depth`, by score, ties by id.
fn merge<I: Id>(hits: &mut Ranked<I>, depth: usize) {
    hits.sort_unstable_by(fusion::by_score);
    hits.truncate(depth);
}
