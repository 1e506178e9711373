//! Searching: two arms, semantic and keyword, each merged over the bases in scope, then fused by reciprocal rank.

mod filter;
mod keyword;
mod passage;
mod request;
mod scope;
mod semantic;
mod similar;

use std::collections::HashMap;

use kb_rag_core::fusion::{Arm, Fused, reciprocal_rank_fusion};
use pgrx::Uuid;

use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::role;
use crate::spi::{self, Connection};
use crate::vector::Pgvector;

pub use passage::Passage;
pub use request::{Mode, Request};
pub use similar::similar_chunks;

/// Each arm gives at least this many candidates, and at least four times the results asked for.
const MIN_DEPTH: i64 = 50;
const DEPTH_PER_RESULT: i64 = 4;

/// A candidate: ordered by chunk id, then by base, which breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Candidate {
    chunk: Uuid,
    /// Index among the bases in scope.
    base: usize,
}

/// What one arm found: candidates best first, with their scores.
type Ranked = Vec<(Candidate, f64)>;

/// Sorts by score, higher first, ties by id.
fn best_first(ranked: &mut Ranked) {
    ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
}

/// One search in progress.
struct Search<'a> {
    connection: &'a Connection,
    request: &'a Request<'a>,
    bases: &'a [KnowledgeBase],
    pgvector: Pgvector,
}

/// Runs a search with the caller's rights. Results are ordered by score, then by chunk id.
pub fn search(request: &Request) -> Result<Vec<Passage>> {
    let bases = scope::resolve(request.knowledge_base, request.agent)?;
    if bases.is_empty() {
        return Ok(Vec::new());
    }
    if request.query_embedding.is_some() {
        scope::require_one_model(&bases)?;
    }
    role::with_settings(&[], || {
        spi::connect(|connection| {
            let pgvector = Pgvector::find(connection)?;
            Search { connection, request, bases: &bases, pgvector }.run()
        })
    })
}

impl Search<'_> {
    /// Deepens the arms until there are enough results or nothing is left: with `max_per_document`, a few long
    /// documents could otherwise crowd out the rest.
    fn run(&self) -> Result<Vec<Passage>> {
        let wanted = self.request.match_count as usize;
        let mut depth = (DEPTH_PER_RESULT * i64::from(self.request.match_count)).max(MIN_DEPTH);
        loop {
            let semantic = self.semantic_arms(depth)?;
            let keyword = self.keyword_arm(depth)?;
            let exhausted = semantic.iter().chain([&keyword]).all(|arm| (arm.len() as i64) < depth);
            let (hits, scores) = self.fuse(&semantic, &keyword);
            let hits = self.cap_per_document(hits)?;
            if hits.len() >= wanted || exhausted {
                return passage::fetch(
                    self,
                    hits.into_iter().take(wanted).collect(),
                    &scores,
                    semantic.len(),
                );
            }
            depth *= 4;
        }
    }

    /// The semantic arm, one list per model: similarities of different models do not compare.
    fn semantic_arms(&self, depth: i64) -> Result<Vec<Ranked>> {
        if self.request.mode == Mode::Keyword || self.request.semantic_weight == 0.0 {
            return Ok(Vec::new());
        }
        let mut by_model: Vec<(&str, i32, Vec<usize>)> = Vec::new();
        for (index, base) in self.bases.iter().enumerate() {
            match by_model.iter_mut().find(|(model, n, _)| *model == base.model && *n == base.dimensions) {
                Some((_, _, members)) => members.push(index),
                None => by_model.push((&base.model, base.dimensions, vec![index])),
            }
        }
        let mut arms = Vec::new();
        for (model, dimensions, members) in by_model {
            let vector = match self.request.query_vector(model, dimensions) {
                Ok(vector) => vector,
                // What can be found by keyword is worth more than an error.
                Err(error) if self.request.mode == Mode::Hybrid && error.is_unavailable() => {
                    error.warn("the search goes by keywords alone");
                    continue;
                }
                Err(error) => return Err(error),
            };
            arms.push(self.merge(members, depth, |base| semantic::arm(self, base, &vector, depth))?);
        }
        Ok(arms)
    }

    fn keyword_arm(&self, depth: i64) -> Result<Ranked> {
        if self.request.mode == Mode::Semantic || self.request.keyword_weight == 0.0 {
            return Ok(Vec::new());
        }
        self.merge((0..self.bases.len()).collect(), depth, |base| keyword::arm(self, base, depth))
    }

    /// One list of the best `depth` over some bases, by score, ties by id.
    fn merge(
        &self,
        members: Vec<usize>,
        depth: i64,
        arm: impl Fn(&KnowledgeBase) -> Result<Vec<(Uuid, f64)>>,
    ) -> Result<Ranked> {
        let mut merged = Ranked::new();
        for index in members {
            let hits = arm(&self.bases[index])?;
            merged.extend(hits.into_iter().map(|(chunk, score)| (Candidate { chunk, base: index }, score)));
        }
        best_first(&mut merged);
        merged.truncate(depth as usize);
        Ok(merged)
    }

    /// Fuses the arms, keyword last; in the modes of one arm the score is that arm's own.
    fn fuse(&self, semantic: &[Ranked], keyword: &Ranked) -> (Vec<Fused<Candidate>>, Scores) {
        let ids = |arm: &Ranked| arm.iter().map(|(candidate, _)| *candidate).collect::<Vec<_>>();
        let lists: Vec<Vec<Candidate>> = semantic.iter().chain([keyword]).map(ids).collect();
        let arms: Vec<Arm<Candidate>> = lists
            .iter()
            .enumerate()
            .map(|(index, ids)| {
                let is_keyword = index == semantic.len();
                let weight =
                    if is_keyword { self.request.keyword_weight } else { self.request.semantic_weight };
                Arm { weight, ids }
            })
            .collect();
        let mut hits = reciprocal_rank_fusion(&arms, f64::from(self.request.rrf_k));
        let scores = Scores {
            similarity: semantic.iter().flatten().copied().collect(),
            keyword: keyword.iter().copied().collect(),
        };
        // Similarities of several models do not compare: then the order by rank stays.
        if self.request.mode != Mode::Hybrid && semantic.len() < 2 {
            for hit in &mut hits {
                hit.score = scores.of_single_arm(&hit.id);
            }
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        }
        (hits, scores)
    }

    /// Leaves at most `max_per_document` passages of each document.
    fn cap_per_document(&self, mut hits: Vec<Fused<Candidate>>) -> Result<Vec<Fused<Candidate>>> {
        if let Some(most) = self.request.max_per_document {
            let documents = passage::documents(self, &hits)?;
            let mut seen: HashMap<Uuid, i32> = HashMap::new();
            hits.retain(|hit| {
                documents.get(&hit.id).is_some_and(|document| {
                    let count = seen.entry(*document).or_default();
                    *count += 1;
                    *count <= most
                })
            });
        }
        Ok(hits)
    }
}

/// The scores of the arms by candidate.
struct Scores {
    similarity: HashMap<Candidate, f64>,
    keyword: HashMap<Candidate, f64>,
}

impl Scores {
    fn of_single_arm(&self, candidate: &Candidate) -> f64 {
        self.similarity.get(candidate).or_else(|| self.keyword.get(candidate)).copied().unwrap_or_default()
    }
}
