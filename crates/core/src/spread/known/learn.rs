//! Answers of other servers to the questions of a search.

use core::time::Duration;

use super::super::exact::{Bytes, Exact, Floats};
use super::super::protocol::{Ask, Found, Placed, Told};
use super::{Facts, Failed, Home, Known, List, Unexpected, Vectored, of};
use crate::lexeme::Held;
use crate::search::{Candidate, Digest, Id, Place, READ_HITS};

impl<I: Id> Known<I> {
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
                let place = |of: Placed<I>| Place {
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

    /// If a model cannot be opened on one server, another one that has bases in its space is asked.
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
