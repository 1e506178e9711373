//! Searching: two arms, semantic and keyword, each merged over the bases in scope, then fused.

mod arm;
mod filter;
mod keyword;
mod remark;
mod request;
mod results;
mod scope;
mod semantic;
mod similar;
mod warm;

use std::cell::RefCell;
use std::collections::HashMap;

use kb_rag_core::fusion::{self, Fused};
use kb_rag_core::model_name::{EmbeddingSpace, ModelName};
use pgrx::Uuid;

use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::guc;
use crate::model::{self, InputType, Model};
use crate::spi::{self, Connection};
use crate::vector::Pgvector;

use arm::{Arm, Kind};
use keyword::Keyword;

pub use request::{
    Fusion, Mode, Request, STANDARD_MATCH_COUNT, STANDARD_RRF_K, STANDARD_THRESHOLD, STANDARD_WEIGHT, Syntax,
};
pub use results::FoundChunk;
pub use similar::similar_chunks;
pub use warm::warm_query;

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

/// The vector of the query in a space.
type Embedded<'a> = (&'a EmbeddingSpace, Option<Vec<f32>>);

/// One search in progress.
struct Search<'a> {
    connection: &'a Connection,
    request: &'a Request<'a>,
    bases: &'a [KnowledgeBase],
    pgvector: Pgvector,
    /// None in the mode semantic.
    keyword: Option<Keyword>,
    /// Vectors of the query: a search that deepens embeds it once. None where that failed.
    embedded: RefCell<Vec<Embedded<'a>>>,
}

/// Runs a search with the caller's privileges. Results are ordered by score, then by chunk id.
pub fn search(request: &Request) -> Result<Vec<FoundChunk>> {
    let search = || {
        scope::over(request.knowledge_base, request.agent, |bases| {
            let bases = scope::without_untrusted(request, bases)?;
            let found = search_bases(request, &bases)?;
            if found.is_empty() {
                remark::of_source_type(request, &bases)?;
                remark::of_waiting_chunks(request, &bases)?;
            }
            Ok(found)
        })
    };
    match request.knowledge_base {
        Some(name) => base::naming_base(name, "searched", search),
        None => search(),
    }
}

fn search_bases(request: &Request, bases: &[KnowledgeBase]) -> Result<Vec<FoundChunk>> {
    if bases.is_empty() {
        return Ok(Vec::new());
    }
    if request.query_embedding.is_some() {
        scope::require_one_model(bases)?;
    }
    remark::of_missing_vectors(request, bases);
    guc::with_settings(&[], || {
        spi::connect(|connection| {
            let pgvector = Pgvector::find()?;
            let keyword = (request.mode != Mode::Semantic)
                .then(|| Keyword::prepare(connection, request, bases))
                .transpose()?;
            let search =
                Search { connection, request, bases, pgvector, keyword, embedded: RefCell::default() };
            let found = search.run()?;
            if found.is_empty() && search.has_no_words() {
                remark::of_stop_words();
            }
            Ok(found)
        })
    })
}

impl<'a> Search<'a> {
    /// Whether keyword search was asked for, with a query of which nothing is left to search for.
    fn has_no_words(&self) -> bool {
        let asks = self.request.mode == Mode::Keyword || self.request.keyword_weight != 0.0;
        asks && !self.request.query.trim().is_empty() && self.keyword.as_ref().is_some_and(Keyword::is_empty)
    }

    /// Deepens the arms until there are enough results or nothing is left: with `max_per_document`, a few long
    /// documents could otherwise crowd out the rest.
    fn run(&self) -> Result<Vec<FoundChunk>> {
        let wanted = self.request.match_count as usize;
        let mut depth = (DEPTH_PER_RESULT * self.request.match_count).max(MIN_DEPTH);
        loop {
            let mut arms = self.semantic_arms(depth)?;
            arms.extend(self.keyword_arm(depth)?);
            let exhausted = arms.iter().all(|arm| (arm.found as i64) < depth);
            if self.request.fusion == Fusion::RelativeScore {
                arm::complete(self, &mut arms)?;
            }
            let hits = self.cap_per_document(self.fuse(&arms))?;
            if hits.len() >= wanted || exhausted {
                return results::fetch(self, hits.into_iter().take(wanted).collect(), &arms);
            }
            depth *= 4;
        }
    }

    /// The semantic arm, one per model: similarities of different models are not comparable.
    fn semantic_arms(&self, depth: i64) -> Result<Vec<Arm>> {
        if self.request.mode == Mode::Keyword || self.request.semantic_weight == 0.0 {
            return Ok(Vec::new());
        }
        let mut by_space: Vec<(&EmbeddingSpace, Vec<usize>)> = Vec::new();
        for (index, base) in self.bases.iter().enumerate() {
            match by_space.iter_mut().find(|(space, _)| **space == base.settings.space) {
                Some((_, members)) => members.push(index),
                None => by_space.push((&base.settings.space, vec![index])),
            }
        }
        let (mut arms, mut failed) = (Vec::new(), Vec::new());
        for (space, members) in by_space {
            // Before a provider is called: only readers of a base may spend its owner's money or send text out.
            members.iter().try_for_each(|&index| self.bases[index].require_read())?;
            match self.query_vector(space, &members) {
                Ok(Some(vector)) => {
                    let hits =
                        self.merge(&members, depth, |index| semantic::arm(self, index, &vector, depth))?;
                    arms.push(Arm::new(Kind::Semantic { members, vector }, hits));
                }
                // It failed at a smaller depth, which was reported.
                Ok(None) => {}
                Err(error) if error.is_unavailable() => failed.push((error, members)),
                Err(error) => return Err(error),
            }
        }
        self.do_without(failed, !arms.is_empty())?;
        Ok(arms)
    }

    /// The vector to search some bases of one space with: the caller's, or that of the query. None if embedding the query
    /// failed before in this search.
    fn query_vector(&self, space: &'a EmbeddingSpace, members: &[usize]) -> Result<Option<Vec<f32>>> {
        if let Some(vector) = &self.request.query_embedding {
            vector.check(space.dimensions as usize, "the query embedding")?;
            return Ok(Some(vector.0.clone()));
        }
        if let Some((_, vector)) = self.embedded.borrow().iter().find(|(known, _)| *known == space) {
            return Ok(vector.clone());
        }
        let query = self.request.embedded_query();
        let vector = self
            .model_of(&space.model, members)
            .and_then(|model| model.embed(&query, space.dimensions, InputType::Query));
        self.embedded.borrow_mut().push((space, vector.as_ref().ok().cloned()));
        vector.map(Some)
    }

    /// Warns of bases whose model cannot be used: results of keyword search or of other bases are worth more than an error.
    /// The first error if there is neither.
    fn do_without(&self, failed: Vec<(Error, Vec<usize>)>, finds_others: bool) -> Result<()> {
        let by_keyword = self.request.mode == Mode::Hybrid && self.request.keyword_weight != 0.0;
        for (error, members) in failed {
            if !by_keyword && !finds_others {
                return Err(error);
            }
            let bases = base::named(members.iter().map(|&index| &self.bases[index]));
            let are = if members.len() == 1 { "is" } else { "are" };
            let instead = if by_keyword { "searched by keyword only" } else { "left out" };
            error.warn(&format!("{bases} {are} {instead}"));
        }
        Ok(())
    }

    /// The model of some bases, used with the privilege of the owner of one of them: the privilege to search a base
    /// includes the use of its provider.
    fn model_of(&self, name: &ModelName, members: &[usize]) -> Result<Model> {
        let mut found = Err(Error::internal("a model of no knowledge base"));
        for &index in members {
            found = model::resolve_as(name, self.bases[index].owner_role()?);
            if found.is_ok() {
                break;
            }
        }
        found
    }

    fn keyword_arm(&self, depth: i64) -> Result<Option<Arm>> {
        let Some(keyword) = &self.keyword else { return Ok(None) };
        if self.request.keyword_weight == 0.0 {
            return Ok(None);
        }
        let members: Vec<usize> = (0..self.bases.len()).collect();
        let hits = self.merge(&members, depth, |index| keyword.arm(self, index, depth))?;
        Ok(Some(Arm::new(Kind::Keyword, hits)))
    }

    /// One list of the best `depth` over some bases, by score, ties by id.
    fn merge(
        &self,
        members: &[usize],
        depth: i64,
        arm: impl Fn(usize) -> Result<Vec<(Uuid, f64)>>,
    ) -> Result<Ranked> {
        let mut merged = Ranked::new();
        for &index in members {
            let hits = arm(index)?;
            merged.extend(hits.into_iter().map(|(chunk, score)| (Candidate { chunk, base: index }, score)));
        }
        best_first(&mut merged);
        merged.truncate(depth as usize);
        Ok(merged)
    }

    /// Fuses the arms; in the modes of one arm the score is that arm's own.
    fn fuse(&self, arms: &[Arm]) -> Vec<Fused<Candidate>> {
        let weighted: Vec<fusion::Arm<Candidate>> = arms
            .iter()
            .map(|arm| {
                let weight = match arm.kind {
                    Kind::Semantic { .. } => self.request.semantic_weight,
                    Kind::Keyword => self.request.keyword_weight,
                };
                fusion::Arm { weight, hits: &arm.hits, found: arm.found }
            })
            .collect();
        let mut hits = match self.request.fusion {
            Fusion::ReciprocalRank => fusion::reciprocal_rank_fusion(&weighted, self.request.rrf_k as f64),
            Fusion::RelativeScore => fusion::relative_score_fusion(&weighted),
        };
        // Similarities of several models are not comparable: then the order by rank stays.
        if let (true, [arm]) = (self.request.mode != Mode::Hybrid, arms) {
            let scores: HashMap<Candidate, f64> = arm.hits.iter().copied().collect();
            for hit in &mut hits {
                hit.score = scores.get(&hit.id).copied().unwrap_or_default();
            }
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        }
        hits
    }

    /// Keeps at most `max_per_document` chunks of each document.
    fn cap_per_document(&self, mut hits: Vec<Fused<Candidate>>) -> Result<Vec<Fused<Candidate>>> {
        if let Some(most) = self.request.max_per_document {
            let documents = results::documents(self, &hits)?;
            let mut seen: HashMap<Uuid, i64> = HashMap::new();
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
