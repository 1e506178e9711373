//! Notices about a search that found nothing on several nodes, as on one server.

use kb_rag_core::filter::remark::Held;
use kb_rag_core::spread::{Hint, Hinted, Hints, HintsAsked, Id};

use super::bases::Bases;
use crate::base;
use crate::cluster::{self, Nodes, Question, Stop};
use crate::search::{Mode, Request, filter_remark, part, remark};

const HINTS: Question<Hints<Id>, HintsAsked<Id>, Hinted> =
    Question { function: "part_hints", here: part::hints };

/// Notifies of a source type and a filter that no chunk has, and of bases without vectors.
pub fn notify(request: &Request, nodes: &Nodes, bases: &Bases) -> Result<(), Stop> {
    let names: Vec<&str> = bases.of.iter().map(|base| base.name.as_str()).collect();
    let named = base::named_by(&names);
    if is_each_empty(request, nodes, bases)? {
        remark::tell_empty(&names);
        return Ok(());
    }
    if let Some(wanted) = request.source_type
        && let Some(others) = source_types(request, nodes, bases, wanted)?
    {
        remark::tell_source_types(wanted, &named, others);
    }
    let held = |path: &[String], names: &[String]| {
        let hint = Hint::Keys { path: path.to_vec(), names: names.to_vec() };
        keys(request, nodes, bases, hint)
    };
    if let Some(found) = filter_remark::find(request, held)? {
        filter_remark::tell(found, &named);
    }
    if request.mode == Mode::Semantic {
        let mut waiting: Vec<String> = Vec::new();
        for (group, hinted) in ask(request, nodes, bases, Hint::Waiting)? {
            let Hinted::Waiting(found) = hinted else { return Err(cluster::unreadable(group)?.into()) };
            waiting.extend(found);
        }
        remark::tell_waiting(
            &names.into_iter().filter(|name| waiting.iter().any(|found| found == name)).collect::<Vec<_>>(),
        );
    }
    Ok(())
}

fn is_each_empty(request: &Request, nodes: &Nodes, bases: &Bases) -> Result<bool, Stop> {
    let mut empty = 0;
    for (group, hinted) in ask(request, nodes, bases, Hint::Empty)? {
        let Hinted::Empty(found) = hinted else { return Err(cluster::unreadable(group)?.into()) };
        empty += found.len();
    }
    Ok(empty == bases.of.len())
}

fn source_types(
    request: &Request,
    nodes: &Nodes,
    bases: &Bases,
    wanted: &str,
) -> Result<Option<Vec<String>>, Stop> {
    let mut others = Vec::new();
    for (group, hinted) in ask(request, nodes, bases, Hint::SourceTypes(wanted.to_string()))? {
        match hinted {
            Hinted::SourceTypes(Some(types)) => others.extend(types),
            Hinted::SourceTypes(None) => return Ok(None),
            _ => return Err(cluster::unreadable(group)?.into()),
        }
    }
    Ok(Some(others))
}

fn keys(request: &Request, nodes: &Nodes, bases: &Bases, hint: Hint) -> Result<Option<Held>, Stop> {
    let mut held = Held::new();
    for (group, hinted) in ask(request, nodes, bases, hint)? {
        match hinted {
            Hinted::Keys(Some(found)) => {
                for (key, kinds) in found {
                    held.entry(key).or_default().extend(kinds);
                }
            }
            Hinted::Keys(None) => return Ok(None),
            _ => return Err(cluster::unreadable(group)?.into()),
        }
    }
    Ok(Some(held))
}

fn ask(request: &Request, nodes: &Nodes, bases: &Bases, hint: Hint) -> Result<Vec<(i32, Hinted)>, Stop> {
    let common = Hints { agent: request.agent.map(part::id), is_named: request.names_bases(), hint };
    let own = bases.nodes.iter().map(|(group, ids)| (*group, HintsAsked { bases: ids.clone() }));
    Ok(nodes.ask(&HINTS, &common, own.collect())?.into_iter().collect())
}
