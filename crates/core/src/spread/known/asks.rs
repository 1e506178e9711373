//! The questions to other servers before actions of a search can be answered.

use std::collections::BTreeMap;

use super::super::protocol::Ask;
use super::{Facts, Home, Known, of};
use crate::search::{Action, Candidate, Id};

impl<I: Id> Known<I> {
    /// The questions to each server before these actions can be answered.
    pub fn asks(&self, actions: &[Action<I>]) -> BTreeMap<usize, Vec<Ask<I>>> {
        let mut asks = Asks { homes: &self.homes, of: BTreeMap::new() };
        for action in actions {
            self.ask(action, &mut asks);
        }
        asks.of
    }

    fn ask(&self, action: &Action<I>, asks: &mut Asks<'_, I>) {
        match action {
            Action::Keyword(a) => {
                if !self.lists.contains_key(&(a.base, a.depth, a.needed)) {
                    let (depth, needed) = (a.depth, a.needed);
                    asks.add(a.base, |base| Ask::Keyword { base, depth, needed });
                }
            }
            Action::Nearest(a) => {
                if self.nearest.contains_key(&(a.base, a.depth, a.candidates)) {
                    return;
                }
                let (depth, candidates) = (a.depth, a.candidates);
                asks.add(a.base, |base| Ask::Nearest { base, depth, candidates });
                // The next batch would ask for most of them.
                let listed = self.listed.get(&a.base).into_iter().flatten();
                let ids = listed.map(|chunk| Candidate { chunk: *chunk, base: a.base });
                asks.unknown(&self.similarities, ids, |base, ids| Ask::Similarities { base, ids });
            }
            Action::Open(a) => {
                let space = self.spaces.get(a.space).filter(|space| space.opened.is_none());
                if let Some(home) = space.and_then(|space| space.untried.last()) {
                    asks.at(*home, |base| Ask::Open { base, checks_question: a.checks_question });
                }
            }
            // Comes with the answer to Open.
            Action::Embed(_) => {}
            Action::Coverage(a) => {
                asks.unknown(&self.coverage, [a.id], |base, ids| Ask::Coverage { base, ids });
            }
            Action::Held(a) => {
                asks.unknown(&self.held, of(a.base, &a.ids), |base, ids| Ask::Held { base, ids });
            }
            Action::Read(a) => {
                asks.unknown(&self.readings, a.ids.iter().copied(), |base, ids| Ask::Read { base, ids });
            }
            Action::Similarities(a) => asks
                .unknown(&self.similarities, of(a.base, &a.ids), |base, ids| Ask::Similarities { base, ids }),
            Action::KeywordScores(a) => {
                asks.unknown(&self.keyword_scores, of(a.base, &a.ids), |base, ids| Ask::KeywordScores {
                    base,
                    ids,
                });
            }
            Action::Documents(a) => {
                asks.unknown(&self.documents, a.ids.iter().copied(), |base, ids| Ask::Documents {
                    base,
                    ids,
                });
            }
            Action::Texts(a) => {
                asks.unknown(&self.texts, a.ids.iter().copied(), |base, ids| Ask::Texts { base, ids });
            }
            Action::Places(a) => {
                let window = a.window;
                asks.unknown(&self.places, a.ids.iter().copied(), |base, ids| Ask::Places {
                    base,
                    ids,
                    window,
                });
            }
            Action::Queue(a) => {
                if !self.queued.contains_key(&a.base) {
                    asks.add(a.base, |base| Ask::Queue { base });
                }
            }
            Action::Lacking(a) => {
                if !self.lacking.contains_key(&a.base) {
                    asks.add(a.base, |base| Ask::Lacking { base });
                }
            }
        }
    }
}

/// The questions to servers.
struct Asks<'a, I> {
    homes: &'a [Home],
    of: BTreeMap<usize, Vec<Ask<I>>>,
}

impl<I: Id> Asks<'_, I> {
    fn at(&mut self, home: Home, ask: impl FnOnce(usize) -> Ask<I>) {
        self.of.entry(home.node).or_default().push(ask(home.base));
    }

    fn add(&mut self, base: usize, ask: impl FnOnce(usize) -> Ask<I>) {
        if let Some(home) = self.homes.get(base) {
            self.at(*home, ask);
        }
    }

    /// Asks for those of the chunks of which nothing is known, base by base.
    fn unknown<T>(
        &mut self,
        facts: &Facts<I, T>,
        ids: impl IntoIterator<Item = Candidate<I>>,
        ask: impl Fn(usize, Vec<I>) -> Ask<I>,
    ) {
        let mut of_base: BTreeMap<usize, Vec<I>> = BTreeMap::new();
        for id in ids.into_iter().filter(|id| !facts.contains_key(id)) {
            of_base.entry(id.base).or_default().push(id.chunk);
        }
        for (base, ids) in of_base {
            self.add(base, |base| ask(base, ids));
        }
    }
}

impl<I> Ask<I> {
    /// The place of its base.
    pub fn base(&self) -> usize {
        match self {
            Ask::Keyword { base, .. }
            | Ask::Nearest { base, .. }
            | Ask::Coverage { base, .. }
            | Ask::Held { base, .. }
            | Ask::Open { base, .. }
            | Ask::Read { base, .. }
            | Ask::Similarities { base, .. }
            | Ask::KeywordScores { base, .. }
            | Ask::Documents { base, .. }
            | Ask::Texts { base, .. }
            | Ask::Places { base, .. }
            | Ask::Queue { base }
            | Ask::Lacking { base } => *base,
        }
    }
}
