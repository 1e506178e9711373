//! What a search has learned from other servers: which actions it can answer, and what to ask for the others.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use super::exact::{Bytes, Exact, Floats};
use super::protocol::{Ask, Failure, Found, Told, With};
use crate::legibility;
use crate::lexeme::Held;
use crate::search::{Action, Candidate, Digest, Id, Place, Placed, READ_HITS, Search};

/// Where a knowledge base is.
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

/// What is known of a search over several servers.
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
    /// What keywords found in each base.
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

    /// What must be asked before these actions can be answered, for each server.
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

    /// Takes the answers of a server to what it was asked.
    pub fn learn(&mut self, node: usize, asks: &[Ask<I>], told: Vec<Told<I>>) -> Result<(), Unexpected> {
        if asks.len() != told.len() {
            return Err(Unexpected);
        }
        for (ask, told) in asks.iter().zip(told) {
            let home = Home { node, base: ask.base() };
            let base = self.homes.iter().position(|known| *known == home).ok_or(Unexpected)?;
            self.learn_one(base, ask, told)?;
        }
        Ok(())
    }

    fn learn_one(&mut self, base: usize, ask: &Ask<I>, told: Told<I>) -> Result<(), Unexpected> {
        match (ask, told) {
            (Ask::Keyword { depth, needed, .. }, Told::Found { hits, .. }) => {
                for (place, hit) in hits.iter().enumerate() {
                    let id = Candidate { chunk: hit.id, base };
                    if self.with.coverage && place == 0 {
                        self.coverage.insert(id, hit.coverage.map(Held::from));
                    }
                    if self.with.held
                        && let Some(held) = hit.held
                    {
                        self.held.insert(id, Some(held.into()));
                    }
                    self.learn_found(id, hit)?;
                }
                self.listed.entry(base).or_default().extend(hits.iter().map(|hit| hit.id));
                self.lists.insert((base, *depth, *needed), list(hits));
            }
            (Ask::Nearest { depth, candidates, .. }, Told::Found { hits, .. }) => {
                for (place, hit) in hits.iter().enumerate() {
                    let id = Candidate { chunk: hit.id, base };
                    if self.with.scores {
                        self.keyword_scores.insert(id, hit.keyword_score.map(|Exact(score)| score));
                    }
                    if place < READ_HITS {
                        self.readings.insert(id, hit.reading);
                    }
                    self.learn_found(id, hit)?;
                }
                self.nearest.insert((base, *depth, *candidates), Ok(list(hits)));
            }
            (Ask::Nearest { depth, candidates, .. }, Told::Failed { failure, .. }) => {
                self.nearest.insert((base, *depth, *candidates), Err(failure));
            }
            (Ask::Open { .. }, Told::Opened { vector, microseconds }) => {
                let time = Duration::from_micros(microseconds);
                self.open(base, Ok((vector.map(|Floats(vector)| vector), time)))?;
            }
            (Ask::Open { .. }, Told::Failed { failure, is_opened }) => {
                self.open(base, Err(Failed { failure, is_opened }))?;
            }
            (Ask::Coverage { ids, .. }, Told::Shares(shares)) => fill(&mut self.coverage, base, ids, shares),
            (Ask::Held { ids, .. }, Told::Shares(shares)) => fill(&mut self.held, base, ids, shares),
            (Ask::Read { ids, .. }, Told::Readings(found)) => fill(&mut self.readings, base, ids, found),
            (Ask::Similarities { ids, .. }, Told::Scores(found)) => {
                fill(&mut self.similarities, base, ids, numbers(found));
            }
            (Ask::KeywordScores { ids, .. }, Told::Scores(found)) => {
                fill(&mut self.keyword_scores, base, ids, numbers(found));
            }
            (Ask::Documents { ids, .. }, Told::Documents(found)) => {
                fill(&mut self.documents, base, ids, found);
            }
            (Ask::Texts { ids, .. }, Told::Texts(found)) => {
                let found = found.into_iter().map(|(id, text)| Ok((id, digest(&text)?)));
                fill(&mut self.texts, base, ids, found.collect::<Result<Vec<_>, _>>()?);
            }
            (Ask::Places { ids, .. }, Told::Places(found)) => {
                let place = |of: super::Placed<I>| Place {
                    document: of.document,
                    chunk: of.chunk.0..of.chunk.1,
                    around: of.around.0..of.around.1,
                };
                let found = found.into_iter().map(|(id, placed)| (id, place(placed))).collect::<Vec<_>>();
                fill(&mut self.places, base, ids, found);
            }
            (Ask::Queue { .. }, Told::Flag(has_any)) => {
                self.queued.insert(base, has_any);
            }
            (Ask::Lacking { .. }, Told::Flag(lacks)) => {
                self.lacking.insert(base, lacks);
            }
            _ => return Err(Unexpected),
        }
        Ok(())
    }

    fn learn_found(&mut self, id: Candidate<I>, hit: &Found<I>) -> Result<(), Unexpected> {
        if self.with.documents {
            self.documents.insert(id, hit.document);
        }
        if self.with.texts {
            self.texts.insert(id, hit.text.as_ref().map(digest).transpose()?);
        }
        Ok(())
    }

    /// Where a model cannot be opened on one server, another one that has bases in its space is asked.
    fn open(&mut self, base: usize, opened: Result<Vectored, Failed>) -> Result<(), Unexpected> {
        let space =
            self.space_of.get(base).and_then(|space| self.spaces.get_mut(*space)).ok_or(Unexpected)?;
        space.untried.pop();
        let is_last =
            space.untried.is_empty() || opened.as_ref().map_or_else(|failed| failed.is_opened, |_| true);
        if is_last {
            space.opened = Some(opened);
        }
        Ok(())
    }

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

/// What servers are asked.
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

fn of<I: Id>(base: usize, ids: &[I]) -> impl Iterator<Item = Candidate<I>> {
    ids.iter().map(move |chunk| Candidate { chunk: *chunk, base })
}

fn list<I>(hits: Vec<Found<I>>) -> List<I> {
    hits.into_iter().map(|hit| (hit.id, hit.score.0)).collect()
}

fn numbers<I>(found: Vec<(I, Exact)>) -> List<I> {
    found.into_iter().map(|(id, Exact(number))| (id, number)).collect()
}

fn digest(Bytes(bytes): &Bytes) -> Result<Digest, Unexpected> {
    Digest::try_from(bytes.as_slice()).map_err(|_| Unexpected)
}

/// Notes what was found of the chunks that were asked about.
fn fill<I: Id, T, F: Into<T>>(facts: &mut Facts<I, T>, base: usize, asked: &[I], found: Vec<(I, F)>) {
    facts.extend(of(base, asked).map(|id| (id, None)));
    facts.extend(found.into_iter().map(|(chunk, fact)| (Candidate { chunk, base }, Some(fact.into()))));
}

fn known<I: Id, T: Clone>(facts: &Facts<I, T>, base: usize, ids: &[I]) -> Vec<(I, T)> {
    let fact = |id: Candidate<I>| Some((id.chunk, facts.get(&id)?.clone()?));
    of(base, ids).filter_map(fact).collect()
}

fn known_of_all<I: Id + Hash, T: Clone>(facts: &Facts<I, T>, ids: &[Candidate<I>]) -> Vec<(Candidate<I>, T)> {
    ids.iter().filter_map(|id| Some((*id, facts.get(id)?.clone()?))).collect()
}
