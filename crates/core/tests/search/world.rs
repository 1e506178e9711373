//! A simulated database: chunks with a score by keyword and a vector, a vector index that misses some, models that read some
//! texts, and answers that fail.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use kb_rag_core::fusion::by_score;
use kb_rag_core::lexeme::Held;
use kb_rag_core::search::{
    Action, Base, Candidate, Digest, Hit, Place, Query, Remark, Search, Window, is_exact,
};

pub type Id = Candidate<u32>;

/// A chunk that passes the filter.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Distinct in its base.
    pub id: u32,
    pub base: usize,
    pub document: u32,
    /// Chunks with the same one are copies; None if it cannot be read.
    pub text: Option<u8>,
    /// Its characters in the document; None where its columns are gone.
    pub place: Option<Range<u32>>,
    /// Its score by keyword; 0 without a word of the question.
    pub keyword: f64,
    /// What it holds of the question.
    pub held: Held,
    /// Its similarity to the question; None without a vector.
    pub similarity: Option<f64>,
    /// Whether the scan of the vector index passes it by.
    pub is_missed: bool,
    /// Whether the queue knows that it lacks a vector.
    pub is_queued: bool,
}

/// The model of a space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Model {
    /// With the weight that its reading of the texts gives.
    Reads(f64),
    /// It does not read the question.
    Illiterate,
    /// It cannot be opened.
    Missing,
    /// Its provider does not answer.
    Silent,
}

#[derive(Clone, Debug)]
pub struct World {
    pub bases: Vec<Base>,
    pub models: Vec<Model>,
    pub chunks: Vec<Chunk>,
    pub depth: usize,
    /// Whether every answer about keywords, similarities, documents and the queue fails.
    pub is_broken: bool,
}

/// A search that has ended, and what it asked for.
#[derive(Debug)]
pub struct Ended {
    pub result: Result<Vec<Hit<u32>>, &'static str>,
    pub remarks: Vec<Remark<&'static str>>,
    /// The actions of each batch, as they are printed.
    pub batches: Vec<Vec<String>>,
    pub embedding_time: Duration,
}

impl Ended {
    pub fn hits(&self) -> &[Hit<u32>] {
        self.result.as_ref().expect("a search that does not fail")
    }

    pub fn ids(&self) -> Vec<Id> {
        self.hits().iter().map(|hit| hit.id).collect()
    }

    pub fn asked(&self, kind: &str) -> usize {
        self.batches.iter().flatten().filter(|action| action.starts_with(kind)).count()
    }
}

/// How many characters every document has.
pub const DOCUMENT: u32 = 100;

/// The characters that a window may show around a chunk: ten for each neighbor.
pub fn around(window: Window, place: &Range<u32>) -> Range<u32> {
    match window {
        Window::Neighbors(count) => {
            place.start.saturating_sub(10 * count)..(place.end + 10 * count).min(DOCUMENT)
        }
        Window::Document { .. } => 0..DOCUMENT,
    }
}

fn digest(text: u8) -> Digest {
    [text; 32]
}

impl World {
    /// Chunks of a base, with what `score` gives them, best first.
    fn best<'w>(
        &'w self,
        base: usize,
        depth: usize,
        score: impl Fn(&'w Chunk) -> Option<f64>,
    ) -> Vec<(u32, f64)> {
        let of_base = self.chunks.iter().filter(|chunk| chunk.base == base);
        let mut hits: Vec<(u32, f64)> = of_base.filter_map(|chunk| Some((chunk.id, score(chunk)?))).collect();
        hits.sort_by(by_score);
        hits.truncate(depth);
        hits
    }

    pub fn chunk(&self, base: usize, id: u32) -> &Chunk {
        self.chunks.iter().find(|chunk| chunk.base == base && chunk.id == id).expect("a chunk of the world")
    }

    fn answer<T>(&self, answer: T) -> Result<T, &'static str> {
        if self.is_broken { Err("broken") } else { Ok(answer) }
    }

    /// As many as decide, and those with the score of the last of them.
    pub fn by_keyword(&self, base: usize, depth: usize, needed: usize) -> Vec<(u32, f64)> {
        let mut hits = self.best(base, depth, |chunk| (chunk.keyword > 0.0).then_some(chunk.keyword));
        if let Some((_, last)) = needed.checked_sub(1).and_then(|last| hits.get(last)).copied() {
            hits.retain(|(_, score)| *score >= last);
        }
        hits
    }

    /// The nearest ones, never fewer than exist: if the scan of the index finds too few, all vectors are compared.
    pub fn nearest(&self, base: usize, depth: usize) -> Vec<(u32, f64)> {
        let found = self.best(base, depth, |chunk| chunk.similarity.filter(|_| !chunk.is_missed));
        if found.len() == depth { found } else { self.best(base, depth, |chunk| chunk.similarity) }
    }

    pub fn search(&self, query: Query) -> Ended {
        let mut search: Search<u32, &'static str> = Search::new(query, self.bases.clone(), self.depth);
        let (mut batches, mut remarks) = (Vec::new(), Vec::new());
        loop {
            let actions = search.next_actions();
            remarks.append(&mut search.take_remarks());
            if actions.is_empty() {
                break;
            }
            batches.push(actions.iter().map(|action| format!("{action:?}")).collect());
            assert!(batches.len() < 200, "a search without an end: {batches:?}");
            actions.into_iter().for_each(|action| self.perform(&mut search, action));
        }
        Ended { embedding_time: search.embedding_time(), result: search.end(), remarks, batches }
    }

    /// Runs a search to its end.
    pub fn run(&self, search: &mut Search<u32, &'static str>) {
        loop {
            let actions = search.next_actions();
            if actions.is_empty() {
                break;
            }
            actions.into_iter().for_each(|action| self.perform(search, action));
        }
    }

    fn perform(&self, search: &mut Search<u32, &'static str>, action: Action<u32>) {
        match action {
            Action::Keyword(action) => {
                let hits = self.answer(self.by_keyword(action.base, action.depth, action.needed));
                search.listed(action, hits);
            }
            Action::Coverage(action) => {
                let held = self.chunk(action.id.base, action.id.chunk).held;
                search.covered(action, self.answer(held));
            }
            Action::Held(action) => {
                assert!(!action.ids.is_empty() && action.ids.len() <= 20);
                let held = action.ids.iter().map(|id| (*id, self.chunk(action.base, *id).held));
                let held = self.answer(held.collect());
                search.held(action, held);
            }
            Action::Open(action) => {
                let opened = match self.models[action.space] {
                    Model::Reads(_) | Model::Silent => Ok(true),
                    Model::Illiterate => Ok(!action.checks_question),
                    Model::Missing => Err("missing"),
                };
                search.opened(action, opened);
            }
            Action::Embed(action) => {
                let silent = self.models[action.space] == Model::Silent;
                search.embedded(action, if silent { Err("silent") } else { Ok(Duration::from_millis(5)) });
            }
            Action::Nearest(action) => {
                assert_eq!(self.bases[action.base].space, action.space);
                assert!(action.candidates >= action.depth);
                let hits = self.nearest(action.base, action.depth);
                search.nearest(action, Ok(hits));
            }
            Action::Read(action) => {
                assert!(!action.ids.is_empty() && action.ids.len() <= 10);
                let weight = match self.models[action.space] {
                    Model::Reads(weight) => weight,
                    _ => 1.0,
                };
                search.read(action, Ok(weight));
            }
            Action::Similarities(action) => {
                assert_eq!(self.bases[action.base].space, action.space);
                let scores =
                    action.ids.iter().filter_map(|id| Some((*id, self.chunk(action.base, *id).similarity?)));
                let scores = self.answer(scores.collect());
                search.compared(action, scores);
            }
            Action::KeywordScores(action) => {
                let scores = action.ids.iter().map(|id| (*id, self.chunk(action.base, *id).keyword));
                let scores = self.answer(scores.collect());
                search.scored(action, scores);
            }
            Action::Documents(action) => {
                let documents = action.ids.iter().map(|id| (*id, self.chunk(id.base, id.chunk).document));
                let documents = self.answer(documents.collect());
                search.documents(action, documents);
            }
            Action::Texts(action) => {
                let digest = |id: &Id| Some((*id, digest(self.chunk(id.base, id.chunk).text?)));
                let texts = self.answer(action.ids.iter().filter_map(digest).collect());
                search.texts(action, texts);
            }
            Action::Places(action) => {
                let place = |id: &Id| {
                    let chunk = self.chunk(id.base, id.chunk);
                    let (document, place) = (chunk.document, chunk.place.clone()?);
                    let around = around(action.window, &place);
                    Some((*id, Place { document, chunk: place, around }))
                };
                let places = self.answer(action.ids.iter().filter_map(place).collect());
                search.places(action, places);
            }
            Action::Queue(action) => {
                let queued = self.chunks.iter().any(|chunk| chunk.base == action.base && chunk.is_queued);
                search.queued(action, self.answer(queued));
            }
            Action::Lacking(action) => {
                let lacks = |chunk: &Chunk| {
                    chunk.base == action.base && chunk.keyword > 0.0 && chunk.similarity.is_none()
                };
                let lacks = self.chunks.iter().any(lacks);
                search.lacking(action, self.answer(lacks));
            }
        }
    }

    /// The same without what the index misses.
    pub fn exact(&self) -> World {
        let mut exact = self.clone();
        exact.chunks.iter_mut().for_each(|chunk| chunk.is_missed = false);
        exact
    }

    /// The scores of all chunks in one arm: by keyword, or in a space.
    pub fn list(&self, space: Option<usize>) -> Vec<(Id, f64)> {
        let score = |chunk: &Chunk| match space {
            None => (chunk.keyword > 0.0).then_some(chunk.keyword),
            Some(space) => chunk.similarity.filter(|_| self.bases[chunk.base].space == space),
        };
        let mut list: Vec<(Id, f64)> = self
            .chunks
            .iter()
            .filter_map(|chunk| Some((Candidate { chunk: chunk.id, base: chunk.base }, score(chunk)?)))
            .collect();
        list.sort_by(by_score);
        list
    }

    /// Whether a chunk is among the first by keyword, and holds enough of the question.
    pub fn passes(&self, id: Id) -> bool {
        let chunk = self.chunk(id.base, id.chunk);
        let least = self.bases[id.base].exact;
        let is_exact =
            chunk.similarity.zip(least).is_some_and(|(found, least)| is_exact(chunk.held, found, least));
        is_exact && self.list(None).iter().take(self.depth.min(20)).any(|(first, _)| *first == id)
    }

    /// Whether the similarity of any chunk in a space is above the gate of its base.
    pub fn has_answer(&self, space: usize) -> bool {
        self.chunks.iter().any(|chunk| {
            let base = &self.bases[chunk.base];
            base.space == space
                && base.gate.zip(chunk.similarity).is_some_and(|(gate, similarity)| similarity > gate)
        })
    }

    /// The documents of hits, each with how many hits it has.
    pub fn per_document(&self, hits: &[Hit<u32>]) -> BTreeMap<u32, usize> {
        let mut counts = BTreeMap::new();
        for hit in hits {
            *counts.entry(self.chunk(hit.id.base, hit.id.chunk).document).or_default() += 1;
        }
        counts
    }

    /// The spaces whose model can be used. Without keywords, the question need not be legible, nor the texts.
    pub fn usable(&self, uses_keywords: bool) -> BTreeSet<usize> {
        let is_usable = |model: &Model| match model {
            Model::Reads(weight) => !uses_keywords || *weight > 0.0,
            Model::Illiterate => !uses_keywords,
            Model::Missing | Model::Silent => false,
        };
        (0..self.models.len()).filter(|space| is_usable(&self.models[*space])).collect()
    }
}
