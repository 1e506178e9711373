//! Notices about a search that found nothing on several nodes, as on one server.

use kb_rag_core::filter::remark::{Held, Wanted};
use kb_rag_core::spread::{Hint, Hinted, Hints, HintsAsked, Id};

use super::bases::Bases;
use crate::base;
use crate::cluster::{self, Nodes, Question, Stop};
use crate::search::{Mode, Request, filter_remark, part, remark};

const HINTS: Question<Hints<Id>, HintsAsked<Id>, Vec<Hinted>> =
    Question { function: "part_hints", here: part::hints };

/// Notifies of empty bases, of a source type and a filter that no chunk has, and of bases without vectors.
pub fn notify(request: &Request, nodes: &Nodes, bases: &Bases) -> Result<(), Stop> {
    let names: Vec<&str> = bases.of.iter().map(|base| base.name.as_str()).collect();
    let named = base::named_by(&names);
    let told = Told::ask(request, nodes, bases)?;
    if told.empty == bases.of.len() {
        remark::tell_empty(&names);
        return Ok(());
    }
    if let (Some(wanted), Some(others)) = (request.source_type, told.source_types) {
        remark::tell_source_types(wanted, &named, others);
    }
    let held = |path: &[String], wanted: &Wanted| keys(request, nodes, bases, path, wanted);
    if let Some(found) = filter_remark::find(request.filter.as_ref(), held)? {
        filter_remark::tell(found, "chunk", &named);
    }
    let is_waiting = |name: &&str| told.waiting.iter().any(|waiting| waiting == name);
    let waiting: Vec<&str> = names.into_iter().filter(is_waiting).collect();
    remark::tell_waiting(&waiting);
    Ok(())
}

/// The answers of all nodes, taken together.
struct Told {
    /// How many bases are empty.
    empty: usize,
    /// The source types of documents; None if one has that of the request, or that is not known.
    source_types: Option<Vec<String>>,
    /// The bases without vectors, where only those find anything.
    waiting: Vec<String>,
}

impl Told {
    fn ask(request: &Request, nodes: &Nodes, bases: &Bases) -> Result<Told, Stop> {
        let source_types = request.source_type.map(|wanted| Hint::SourceTypes(wanted.to_string()));
        let waiting = (request.mode == Mode::Semantic).then_some(Hint::Waiting);
        let hints = [Some(Hint::Empty), source_types, waiting].into_iter().flatten().collect();
        let mut told = Told { empty: 0, source_types: Some(Vec::new()), waiting: Vec::new() };
        for (group, hinted) in ask(request, nodes, bases, hints)? {
            if hinted.is_empty() {
                return Err(cluster::unreadable(group)?.into());
            }
            for hinted in hinted {
                match hinted {
                    Hinted::Empty(names) => told.empty += names.len(),
                    Hinted::SourceTypes(types) => {
                        told.source_types =
                            told.source_types.zip(types).map(|(all, types)| [all, types].concat());
                    }
                    Hinted::Waiting(names) => told.waiting.extend(names),
                    Hinted::Keys(_) => return Err(cluster::unreadable(group)?.into()),
                }
            }
        }
        Ok(told)
    }
}

fn keys(
    request: &Request,
    nodes: &Nodes,
    bases: &Bases,
    path: &[String],
    wanted: &Wanted,
) -> Result<Option<Held>, Stop> {
    let hint = Hint::Keys { path: path.to_vec(), wanted: wanted.clone() };
    let mut held = Held::new();
    for (group, mut hinted) in ask(request, nodes, bases, vec![hint])? {
        match hinted.pop() {
            Some(Hinted::Keys(Some(found))) => {
                for (key, values) in found {
                    held.entry(key).or_default().extend(values);
                }
            }
            Some(Hinted::Keys(None)) => return Ok(None),
            _ => return Err(cluster::unreadable(group)?.into()),
        }
    }
    Ok(Some(held))
}

fn ask(
    request: &Request,
    nodes: &Nodes,
    bases: &Bases,
    hints: Vec<Hint>,
) -> Result<Vec<(i32, Vec<Hinted>)>, Stop> {
    let common = Hints { agent: request.agent.map(part::id), is_named: request.names_bases(), hints };
    let own = bases.nodes.iter().map(|(group, ids)| (*group, HintsAsked { bases: ids.clone() }));
    Ok(nodes.ask(&HINTS, &common, own.collect())?.into_iter().collect())
}
