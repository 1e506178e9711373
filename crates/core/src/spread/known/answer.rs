//! Answers to the actions of a search, from what is known.

use std::hash::Hash;

use super::super::protocol::Failure;
use super::{Facts, Known, Unexpected, of};
use crate::legibility;
use crate::lexeme::Held;
use crate::search::{Action, Candidate, Id, Placed, Search};

impl<I: Id> Known<I> {
    /// Answers an action for which nothing is left to ask.
    pub fn answer<E>(
        &self,
        search: &mut Search<I, E>,
        action: Action<I>,
        error: impl Fn(&Failure) -> E,
    ) -> Result<(), Unexpected> {
        match action {
            Action::Keyword(a) => {
                let hits = self.lists.get(&(a.base, a.depth, a.needed)).ok_or(Unexpected)?.clone();
                search.listed(a, Ok(hits));
            }
            Action::Nearest(a) => {
                let hits = self.nearest.get(&(a.base, a.depth, a.candidates)).ok_or(Unexpected)?;
                search.nearest(a, hits.clone().map_err(|failure| error(&failure)));
            }
            Action::Open(a) => {
                let opened = self.spaces.get(a.space).and_then(|space| space.opened.as_ref());
                let is_read = match opened.ok_or(Unexpected)? {
                    Ok((vector, _)) => Ok(vector.is_some()),
                    Err(failed) if failed.is_opened => Ok(true),
                    Err(failed) => Err(error(&failed.failure)),
                };
                search.opened(a, is_read);
            }
            Action::Embed(a) => {
                let opened = self.spaces.get(a.space).and_then(|space| space.opened.as_ref());
                let time = match opened.ok_or(Unexpected)? {
                    Ok((_, time)) => Ok(*time),
                    Err(failed) => Err(error(&failed.failure)),
                };
                search.embedded(a, time);
            }
            Action::Coverage(a) => {
                // It may be gone since it was found.
                let held = self.coverage.get(&a.id).copied().flatten().unwrap_or(Held::ALL);
                search.covered(a, Ok(held));
            }
            Action::Held(a) => {
                let held = known(&self.held, a.base, &a.ids);
                search.held(a, Ok(held));
            }
            Action::Read(a) => {
                let readings = a.ids.iter().filter_map(|id| self.readings.get(id).copied().flatten());
                let tokens = legibility::median_tokens_per_character(readings);
                search.read(a, Ok(tokens.map_or(1.0, legibility::weight)));
            }
            Action::Similarities(a) => {
                let scores = known(&self.similarities, a.base, &a.ids);
                search.compared(a, Ok(scores));
            }
            Action::KeywordScores(a) => {
                let scores = known(&self.keyword_scores, a.base, &a.ids);
                search.scored(a, Ok(scores));
            }
            Action::Documents(a) => {
                let documents = known_of_all(&self.documents, &a.ids);
                search.documents(a, Ok(documents));
            }
            Action::Texts(a) => {
                let texts = known_of_all(&self.texts, &a.ids);
                search.texts(a, Ok(texts));
            }
            Action::Places(a) => {
                let places: Placed<I> = known_of_all(&self.places, &a.ids);
                search.places(a, Ok(places));
            }
            Action::Queue(a) => {
                let has_any = *self.queued.get(&a.base).ok_or(Unexpected)?;
                search.queued(a, Ok(has_any));
            }
            Action::Lacking(a) => {
                let lacks = *self.lacking.get(&a.base).ok_or(Unexpected)?;
                search.lacking(a, Ok(lacks));
            }
        }
        Ok(())
    }
}

fn known<I: Id, T: Clone>(facts: &Facts<I, T>, base: usize, ids: &[I]) -> Vec<(I, T)> {
    let fact = |id: Candidate<I>| Some((id.chunk, facts.get(&id)?.clone()?));
    of(base, ids).filter_map(fact).collect()
}

fn known_of_all<I: Id + Hash, T: Clone>(facts: &Facts<I, T>, ids: &[Candidate<I>]) -> Vec<(Candidate<I>, T)> {
    ids.iter().filter_map(|id| Some((*id, facts.get(id)?.clone()?))).collect()
}
