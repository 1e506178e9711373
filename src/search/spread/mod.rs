//! Searches over bases on several nodes: `kb_rag_core::search` runs here, and `part` answers what it asks, in this process for the bases
//! of this server, and by one trip to all other nodes at the same time. ARCHITECTURE.md describes the trips.

mod bases;
mod hints;
mod rows;
mod run;
mod similar;

use pgrx::Uuid;

use super::keyword::notify_of_left_out;
use super::{Request, Results, remark, scope};
use crate::base::KnowledgeBase;
use crate::cluster::{self, Nodes, Stop};
use crate::error::Result;

pub use bases::Bases;
pub use similar::similar_chunks;

/// A base that was searched.
pub struct Covered {
    pub id: Uuid,
    /// Whether it asks for a log of searches.
    pub is_logged: bool,
}

impl From<&KnowledgeBase> for Covered {
    fn from(base: &KnowledgeBase) -> Covered {
        Covered { id: base.id, is_logged: base.settings.log_searches }
    }
}

/// The results of a search over the nodes of these groups.
pub fn search(request: &Request, groups: &[i32]) -> Result<Results> {
    search_with(request, groups, |_, _, found| Ok(found))
}

/// The same, and hands the results to `work` with the nodes and the bases in scope.
pub fn search_with<T>(
    request: &Request,
    groups: &[i32],
    work: impl Fn(&Nodes, &Bases, Results) -> Result<T, Stop>,
) -> Result<T> {
    cluster::over(groups, |nodes| {
        let bases = Bases::find(request, nodes)?;
        let found = search_in(request, nodes, &bases)?;
        work(nodes, &bases, found)
    })
}

fn search_in(request: &Request, nodes: &Nodes, bases: &Bases) -> Result<Results, Stop> {
    let covered = || bases.of.iter().map(|base| Covered { id: base.id, is_logged: base.is_logged }).collect();
    if bases.of.is_empty() {
        return Ok(Results::default());
    }
    if request.query_embedding.is_some() {
        scope::require_one_space(bases.of.iter().map(|base| (base.name.as_str(), &base.space)))?;
    }
    let without_vectors = bases.of.iter().filter(|base| !base.makes_vectors).map(|base| base.name.as_str());
    remark::of_missing_vectors(request.mode, without_vectors.collect());
    let found = run::run(request, nodes, bases)?;
    notify_of_left_out(found.left_out);
    // A page behind the last result says nothing about the search.
    if found.chunks.is_empty() && request.match_offset == 0 {
        if found.has_no_words {
            remark::of_stop_words();
        }
        hints::notify(request, nodes, bases)?;
    }
    Ok(Results { chunks: found.chunks, embedding_time: found.embedding_time, covered: covered() })
}
