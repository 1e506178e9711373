//! The part of a search that concerns the bases of this server, for the server that searches several: it asks by functions of the
//! schema kb_rag, whose requests and answers are those of `kb_rag_core::spread`. They run as the caller of the search, who may send
//! anything, and tell no more than kb_search does.

mod candidates;
mod hints;
mod rows;
mod statistics;

use kb_rag_core::search::Window;
use kb_rag_core::spread::{self, Id, PROTOCOL, Question, protocol_of};
use pgrx::Uuid;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::request::{MAX_NEIGHBORS, check_query};
use super::{Request, Syntax};
use crate::base::{self, KnowledgeBase, MAX_BASES, Ranker, check_filter};
use crate::choice::Choice;
use crate::cluster;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;

pub use candidates::candidates;
pub use hints::hints;
pub use rows::rows;
pub use statistics::statistics;

/// Answers a request with what `work` gives for its common and its own part. 55000 for one of another protocol.
pub fn answer<C: DeserializeOwned, O: DeserializeOwned, A: Serialize>(
    request: &Jsonb,
    work: impl FnOnce(&C, &O) -> Result<A>,
) -> Result<Jsonb> {
    request.check_size("request")?;
    let malformed = || {
        Error::invalid("the request is not one of a search over several nodes")
            .hint("Nodes of a cluster call this function. Use kb_search.")
    };
    let (protocol, rest) = request.value().and_then(protocol_of).ok_or_else(malformed)?;
    if protocol != PROTOCOL {
        let this =
            cluster::own_node()?.map_or_else(|| "this node".to_string(), |node| format!("node {node}"));
        return Err(Error::not_ready(format!(
            "the node that asks searches by protocol {protocol}, {this} by protocol {PROTOCOL}"
        ))
        .hint("Install the same version of kb_rag on all nodes."));
    }
    let (common, own) =
        spread::of_answer::<(C, O)>(rest).map_err(|error| malformed().detail(error.to_string()))?;
    Jsonb::from_value(&spread::answer_of(&work(&common, &own)?))
}

/// The request of a search for a question.
fn request(question: &Question) -> Result<Request<'_>> {
    check_query(&question.query, false)?;
    let filter = question.filter.as_deref().map(Jsonb::from_text).transpose()?;
    filter.as_ref().map_or(Ok(()), check_filter)?;
    Ok(Request {
        mode: question.mode,
        syntax: if question.is_web { Syntax::Web } else { Syntax::Plain },
        filter,
        source_type: question.source_type.as_deref(),
        ranker: Some(Ranker::from_name(&question.ranker)?),
        ..Request::new(&question.query)
    })
}

/// What a request has of the question of a search.
pub fn question_of(request: &Request, ranker: Ranker) -> Question {
    Question {
        query: request.query.to_string(),
        mode: request.mode,
        is_web: request.syntax == Syntax::Web,
        filter: request.filter.as_ref().map(Jsonb::to_text),
        source_type: request.source_type.map(str::to_string),
        ranker: ranker.name().to_string(),
    }
}

/// The ids of bases. 54000 for more than a search covers.
pub fn ids(bases: &[Id]) -> Result<Vec<Uuid>> {
    if bases.len() > MAX_BASES {
        return Err(Error::limit(format!("the search covers {} knowledge bases", bases.len()))
            .hint(format!("At most {MAX_BASES} are searched at once.")));
    }
    Ok(bases.iter().copied().map(uuid).collect())
}

/// Runs `work` over the bases of a request. Those that the caller does not name are looked at again once no policy can come any more.
pub fn over<T>(
    bases: &[Uuid],
    agent: Option<Uuid>,
    is_named: bool,
    work: impl FnOnce(Vec<KnowledgeBase>) -> Result<T>,
) -> Result<T> {
    let find = || base::of_part(bases, agent);
    if is_named {
        return base::pinned(find, work);
    }
    let safe = |bases: Vec<KnowledgeBase>| base::require_safe(&bases, agent).map(|()| bases);
    base::pinned_unnamed(|| safe(find()?), safe, work)
}

/// 22023 for a request that no search makes.
pub fn out_of_range(what: &str) -> Error {
    Error::invalid(format!("the request has {what}"))
        .hint("Nodes of a cluster call this function. Use kb_search.")
}

/// 22023 for more neighbors than a search takes.
fn check_window(window: Window) -> Result<()> {
    match window {
        Window::Neighbors(count) if i64::from(count) <= MAX_NEIGHBORS => Ok(()),
        Window::Document { .. } => Ok(()),
        _ => Err(out_of_range("a window that is out of range")),
    }
}

/// 22023 for the place of a base that the request does not name.
fn check_place(place: usize, bases: usize) -> Result<()> {
    if place < bases {
        return Ok(());
    }
    Err(Error::invalid(format!("the request asks base {place} of {bases}"))
        .hint("Nodes of a cluster call this function. Use kb_search."))
}

/// As PostgreSQL has it.
pub fn uuid(Id(bytes): Id) -> Uuid {
    Uuid::from_bytes(bytes)
}

/// As it goes to other nodes.
pub fn id(uuid: Uuid) -> Id {
    Id(*uuid.as_bytes())
}
