//! Searching: two arms, semantic and keyword, each merged over the bases in scope, then fused.

mod arm;
mod filter;
mod found;
mod keyword;
mod legibility;
mod remark;
mod request;
mod results;
mod scope;
mod semantic;
mod similar;
mod space;
mod threshold;
mod warm;

use std::collections::HashMap;

use kb_rag_core::fusion::{self, Fused};
use pgrx::Uuid;

use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::spi::{self, Connection};
use crate::postgres::test_point::test_limit;
use crate::postgres::vector::Pgvector;

use arm::{Arm, Kind};
use found::Found;
use keyword::Keyword;
use semantic::Depth;
use space::Space;

pub use remark::{of_agent as remark_of_agent, of_no_base as remark_of_no_base};
pub use request::{
    DEFAULT_MATCH_COUNT, DEFAULT_RRF_K, DEFAULT_THRESHOLD, DEFAULT_WEIGHT, Fusion, Mode, Request, Syntax,
    check_count,
};
pub use results::FoundChunk;
pub use similar::similar_chunks;
pub use warm::warm_query;

/// Each arm gives this many candidates at first, whatever the number of results: docs/benchmarks.md shows how it was chosen.
const DEPTH: i64 = 80;
/// The same for the semantic arm where ranks are fused. The last ranks count little, and the time of the scan grows with it.
const SEMANTIC_DEPTH_BY_RANK: i64 = 50;
/// How many times deeper each further search is.
const DEEPER: i64 = 4;

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
    ranked.sort_unstable_by(fusion::by_score);
}

/// One search in progress.
struct Search<'a> {
    connection: &'a Connection,
    request: &'a Request<'a>,
    bases: &'a [KnowledgeBase],
    pgvector: Pgvector,
    /// None in the mode semantic.
    keyword: Option<Keyword>,
    spaces: Vec<Space<'a>>,
}

/// Runs a search with the caller's privileges. Results are ordered by score; ties by rank of keywords, then by rank of vectors,
/// then by chunk id.
pub fn search(request: &Request) -> Result<Vec<FoundChunk>> {
    search_with(request, |_, found| Ok(found))
}

/// The same, and hands the results to `work` with the bases in scope, which it reads with the snapshot of the search.
pub fn search_with<T>(
    request: &Request,
    work: impl FnOnce(&[KnowledgeBase], Vec<FoundChunk>) -> Result<T>,
) -> Result<T> {
    let search = || {
        scope::over(request.knowledge_base, request.agent, |bases| {
            let bases = scope::without_untrusted(request, bases)?;
            let found = search_bases(request, &bases)?;
            if found.is_empty() {
                remark::of_source_type(request, &bases)?;
                remark::of_waiting_chunks(request, &bases)?;
            }
            work(&bases, found)
        })
    };
    match request.knowledge_base {
        Some(name) => base::naming_base(name, "searched", search).map_err(|error| {
            base::in_order(
                error,
                name,
                request.query,
                "The question comes before the name of the knowledge base.",
            )
        }),
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
            let spaces = space::of_bases(bases);
            let search = Search { connection, request, bases, pgvector, keyword, spaces };
            let found = search.run()?;
            if found.is_empty() && search.has_no_words() {
                remark::of_stop_words();
            }
            Ok(found)
        })
    })
}

impl Search<'_> {
    /// Whether keyword search was asked for, with a query of which nothing is left to search for.
    fn has_no_words(&self) -> bool {
        let asks = self.request.mode == Mode::Keyword || self.request.keyword_weight != 0.0;
        asks && !self.request.query.trim().is_empty() && self.keyword.as_ref().is_some_and(Keyword::is_empty)
    }

    /// Whether the results come by keyword too.
    fn uses_keywords(&self) -> bool {
        self.request.mode == Mode::Hybrid && self.request.keyword_weight != 0.0
    }

    /// Deepens the arms until there are enough results or nothing is left. What a deeper search adds comes after the rest:
    /// so the first results do not depend on how many are wanted.
    fn run(&self) -> Result<Vec<FoundChunk>> {
        let wanted = self.request.match_count as usize;
        let mut found = Found::default();
        let mut depth = test_limit("depth", DEPTH);
        loop {
            let by_keyword = self.keyword_arm(depth)?;
            let semantic = space::arms(self, self.semantic_depth(depth, by_keyword.as_ref()))?;
            let mut arms: Vec<Arm> = by_keyword.into_iter().chain(semantic).collect();
            if self.request.mode == Mode::Hybrid {
                arm::complete(self, &mut arms)?;
            }
            let mut hits = self.fuse(&arms);
            if self.request.semantic_weight == 0.0 {
                arm::keep_found_by_keyword(&mut hits, &arms);
            }
            threshold::keep_above(self, &mut hits, &arms);
            found.add(hits, &arms);
            let hits = self.cap_per_document(&found.hits)?;
            // An arm without weight adds no hits.
            let exhausted = arms.iter().all(|arm| arm.is_exhausted() || arm.weight == 0.0)
                || threshold::is_exhausted(self, &arms)?;
            if hits.len() >= wanted || exhausted {
                return results::fetch(self, &hits[..wanted.min(hits.len())], &found);
            }
            depth *= DEEPER;
        }
    }

    /// The depth of the semantic arm beside a keyword arm of this depth.
    fn semantic_depth(&self, depth: i64, by_keyword: Option<&Arm>) -> Depth {
        let is_by_rank = self.uses_keywords() && self.request.fusion == Fusion::ReciprocalRank;
        let hits = if is_by_rank { depth * SEMANTIC_DEPTH_BY_RANK / DEPTH } else { depth };
        match by_keyword {
            Some(arm) if arm.found > 0 && !is_by_rank => Depth::beside_compared(hits),
            _ => Depth::alone(hits),
        }
    }

    /// How many of the best `depth` chunks by keyword decide about the results. In the mode keyword those are the results
    /// themselves; chunks with the score of the last one are told apart by id.
    fn needed(&self, depth: usize) -> usize {
        let is_list = self.request.mode == Mode::Keyword && self.request.max_per_document.is_none();
        if is_list { depth.min(self.request.match_count.max(1) as usize) } else { depth }
    }

    fn keyword_arm(&self, depth: i64) -> Result<Option<Arm<'_>>> {
        let Some(keyword) = &self.keyword else { return Ok(None) };
        let weight = self.request.keyword_weight;
        if weight == 0.0 {
            return Ok(None);
        }
        let members: Vec<usize> = (0..self.bases.len()).collect();
        let hits = self.merge(&members, depth, |index| keyword.arm(self, index, depth))?;
        Ok(Some(Arm::new(Kind::Keyword, weight, hits, depth)))
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
        let weighted: Vec<fusion::Arm<Candidate>> = arms.iter().map(Arm::fused).collect();
        // In the mode semantic there are several arms only of several models, whose similarities are not comparable.
        let fusion =
            if self.request.mode == Mode::Hybrid { self.request.fusion } else { Fusion::ReciprocalRank };
        let mut hits = match fusion {
            Fusion::ReciprocalRank => fusion::reciprocal_rank_fusion(&weighted, self.request.rrf_k as f64),
            Fusion::RelativeScore => fusion::relative_score_fusion(&weighted),
        };
        if let (true, [arm]) = (self.request.mode != Mode::Hybrid, arms) {
            let scores: HashMap<Candidate, f64> = arm.hits.iter().copied().collect();
            for hit in &mut hits {
                hit.score = scores.get(&hit.id).copied().unwrap_or_default();
            }
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        }
        hits
    }

    /// At most `max_per_document` chunks of each document.
    fn cap_per_document<'h>(&self, hits: &'h [Fused<Candidate>]) -> Result<Vec<&'h Fused<Candidate>>> {
        let Some(max) = self.request.max_per_document else { return Ok(hits.iter().collect()) };
        let documents = results::documents(self, hits)?;
        let mut seen: HashMap<Uuid, i64> = HashMap::new();
        let is_kept = |hit: &&Fused<Candidate>| {
            documents.get(&hit.id).is_some_and(|document| {
                let count = seen.entry(*document).or_default();
                *count += 1;
                *count <= max
            })
        };
        Ok(hits.iter().filter(is_kept).collect())
    }
}
