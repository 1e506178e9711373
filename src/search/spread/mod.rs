//! Searches over bases on several nodes: `kb_rag_core::search` runs here, and `part` answers what it asks, in this process for the bases
//! of this server, and by one trip to all other nodes at the same time. ARCHITECTURE.md describes the trips.

mod bases;
mod nodes;
mod rows;
mod run;

use pgrx::Uuid;

use super::keyword::notify_of_left_out;
use super::{Request, Results, remark, scope};
use crate::error::{Error, Result};
use bases::Bases;
use nodes::Nodes;

/// Why a search over some nodes ended without results.
enum Stop {
    Failed(Error),
    /// The nodes of these groups do not answer. The search begins again without them.
    Lost(Vec<i32>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

/// A base that was searched.
pub struct Covered {
    pub id: Uuid,
    /// Whether it asks for a log of searches.
    pub is_logged: bool,
}

/// The results of a search over the nodes of these groups.
pub fn search(request: &Request, groups: &[i32]) -> Result<Results> {
    let mut nodes = Nodes::new(groups.to_vec())?;
    loop {
        match search_in(request, &nodes) {
            Ok(results) => return Ok(results),
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Lost(lost)) => nodes.leave_out(&lost),
        }
    }
}

fn search_in(request: &Request, nodes: &Nodes) -> Result<Results, Stop> {
    let bases = Bases::find(request, nodes)?;
    let covered = || bases.of.iter().map(|base| Covered { id: base.id, is_logged: base.is_logged }).collect();
    if bases.of.is_empty() {
        match request.agent {
            Some(agent) => remark::of_idle_agent(agent),
            None => remark::of_no_base(),
        }
        return Ok(Results::default());
    }
    if request.query_embedding.is_some() {
        scope::require_one_space(bases.of.iter().map(|base| (base.name.as_str(), &base.space)))?;
    }
    let without_vectors = bases.of.iter().filter(|base| !base.makes_vectors).map(|base| base.name.as_str());
    remark::of_missing_vectors(request.mode, without_vectors.collect());
    let found = run::run(request, nodes, &bases)?;
    notify_of_left_out(found.left_out);
    if found.chunks.is_empty() && request.match_offset == 0 && found.has_no_words {
        remark::of_stop_words();
    }
    Ok(Results { chunks: found.chunks, embedding_time: found.embedding_time, covered: covered() })
}
