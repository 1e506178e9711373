//! Searching: over keywords and vectors of the bases in scope, fused. `kb_rag_core::search` decides what is looked for and what
//! becomes of it; `run` performs that, with one function for each statement or scan.

mod explain;
mod filter;
mod filter_remark;
mod keyword;
mod legibility;
mod lexemes;
pub mod part;
mod remark;
mod request;
mod results;
mod run;
mod scope;
mod semantic;
mod similar;
mod space;
mod spread;
mod visible;
mod warm;
mod windows;

use std::time::Duration;

use pgrx::Uuid;

use crate::base::{self, Embed, KnowledgeBase};
use crate::cluster;
use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::spi;

pub use explain::explain;
pub use filter_remark::{notify_of_agent as remark_of_agent_filter, notify_of_documents as remark_of_filter};
pub use legibility::of_texts as legibility_of;
#[cfg(any(test, feature = "pg_test"))]
pub use lexemes::DEFAULT_SNIPPET_CHARS;
pub use lexemes::{highlight, lexemes};
pub use remark::{
    of_agent as remark_of_agent, of_circle as remark_of_circle, of_idle_agent as remark_of_idle_agent,
    of_no_base as remark_of_no_base, of_source_type as remark_of_source_type,
};
pub use request::{
    DEFAULT_FUSION, DEFAULT_MATCH_COUNT, DEFAULT_MATCH_OFFSET, DEFAULT_MODE, DEFAULT_NEIGHBORS,
    DEFAULT_RRF_K, DEFAULT_THRESHOLD, DEFAULT_WEIGHT, Duplicates, Form, Fusion, MAX_MATCH_COUNT, Mode,
    Request, Syntax, Window, check_count, check_query, names_of, window_of,
};
pub use results::{Duplicate, FoundChunk};
pub use similar::similar_chunks;
pub use spread::{Covered, search as search_on, search_with as search_over};
pub use warm::warm_query;

/// The hint where the two were exchanged.
const QUESTION_FIRST: &str = "The question comes before the name of the knowledge base.";

/// A chunk: ordered by id, then by the place of its base in the scope, which breaks ties.
type Candidate = kb_rag_core::search::Candidate<Uuid>;

/// What a search gives.
#[derive(Default)]
pub struct Results {
    /// The best first.
    pub chunks: Vec<FoundChunk>,
    /// How long models took to embed the question.
    pub embedding_time: Duration,
    /// The bases that were searched.
    pub covered: Vec<Covered>,
}

/// Runs a search with the caller's privileges. Results are ordered by score; ties by rank of keywords, then by rank of vectors,
/// then by chunk id.
pub fn search(request: &Request) -> Result<Results> {
    let here = search_with(request, |_, found| Ok(found));
    cluster::here_or_over(here, |groups| spread::search(request, groups))
}

/// The same, and hands the results to `work` with the bases in scope, which it reads with the snapshot of the search.
pub fn search_with<T>(
    request: &Request,
    work: impl FnOnce(&[KnowledgeBase], Results) -> Result<T>,
) -> Result<T> {
    let search = || {
        scope::of_request(request, |bases| {
            let bases = scope::without_untrusted(request, bases)?;
            let found = search_bases(request, &bases)?;
            // A page behind the last result says nothing about the search.
            if found.chunks.is_empty() && request.match_offset == 0 && !remark::of_empty(&bases) {
                remark::of_source_type(request.source_type, &bases)?;
                filter_remark::notify(request, &bases)?;
                remark::of_waiting_chunks(request, &bases)?;
            }
            work(&bases, found)
        })
    };
    match request.knowledge_base {
        Some(name) => base::naming_base(name, "searched", search)
            .map_err(|error| base::in_order(error, name, request.query, QUESTION_FIRST)),
        None => search(),
    }
}

fn search_bases(request: &Request, bases: &[KnowledgeBase]) -> Result<Results> {
    if bases.is_empty() {
        return Ok(Results::default());
    }
    if request.query_embedding.is_some() {
        scope::require_one_model(bases)?;
    }
    let off = bases.iter().filter(|base| base.settings.embed == Embed::Off);
    remark::of_missing_vectors(request.mode, off.map(|base| base.name.as_str()).collect());
    guc::with_settings(&[], || {
        spi::connect(|connection| {
            let found = run::run(connection, request, bases)?;
            let mut chunks = results::fetch(connection, request, bases, found.hits)?;
            if request.has_snippets {
                lexemes::add_snippets(request, bases, &mut chunks)?;
            }
            if chunks.is_empty() && request.match_offset == 0 && found.has_no_words {
                remark::of_stop_words();
            }
            let covered = bases.iter().map(Covered::from).collect();
            Ok(Results { chunks, embedding_time: found.embedding_time, covered })
        })
    })
}
