//! Lists of documents over several nodes: each node tells of its own.

use std::collections::{BTreeMap, HashMap};

use kb_rag_core::spread::{Circle, Documents, DocumentsAsked, DocumentsTold, Id};
use pgrx::Uuid;

use super::browse::{Page, Place};
use super::level::Level;
use super::part;
use super::rows::Document;
use super::scope;
use super::search::{self, FoundDocument};
use super::stats::{Stats, Sums};
use crate::choice::Choice;
use crate::cluster::{self, Nodes, Question, Stop};
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::search::part::{id, uuid};
use crate::search::{self as searches, Request};

const DOCUMENTS: Question<Documents<Id>, DocumentsAsked<Id>, DocumentsTold<Id>> =
    Question { function: "part_documents", here: part::part };

/// A base, by the group of its node.
type Home = (i32, Id);

/// The documents of all nodes by their source type.
pub fn stats(groups: &[i32]) -> Result<Vec<(Option<String>, Stats)>> {
    cluster::over(groups, |nodes| {
        let (mut sums, mut all) = (Sums::default(), Circle::default());
        for (group, told) in nodes.ask_all(&DOCUMENTS, &Documents::Counts, &nothing())? {
            let DocumentsTold::Counts { of, circle } = told else { return Err(unexpected(group)?) };
            all.add(circle);
            for count in of {
                let (documents, chunks, failed) = (count.documents, count.chunks, count.failed);
                sums.add(count.source_type, Stats { documents, chunks, failed });
            }
        }
        scope::tell_of_circle(&all);
        Ok(sums.take())
    })
}

/// A page of the documents of all nodes, the newest first.
pub fn browse(groups: &[i32], page: &Page) -> Result<Vec<Document>> {
    if page.end() > part::MAX_PLACES {
        return Err(Error::limit(format!(
            "match_offset and match_count together are {}, and a list over several nodes covers {} documents",
            page.end(),
            part::MAX_PLACES
        ))
        .hint("Name a knowledge base."));
    }
    let newest = Documents::Newest {
        source_type: page.source_type.map(str::to_string),
        filter: page.filter.map(Jsonb::to_text),
        max: page.end(),
    };
    cluster::over(groups, |nodes| {
        // In the order of one server, where the names of bases decide between equal times.
        let (mut bases, mut all) = (BTreeMap::new(), Circle::default());
        for (group, told) in nodes.ask_all(&DOCUMENTS, &newest, &nothing())? {
            let DocumentsTold::Newest { of, circle } = told else { return Err(unexpected(group)?) };
            all.add(circle);
            bases.extend(of.into_iter().map(|base| (base.name, ((group, base.id), base.places))));
        }
        scope::tell_of_circle(&all);
        let mut found: Vec<(Place, usize)> = Vec::new();
        let mut homes: Vec<Home> = Vec::new();
        for (index, (home, places)) in bases.into_values().enumerate() {
            homes.push(home);
            for (time, document) in places {
                found.push(((part::time(time)?, uuid(document)), index));
            }
        }
        let wanted: Vec<(Home, Uuid)> =
            page.cut(found).into_iter().map(|((_, document), index)| (homes[index], document)).collect();
        let details = Documents::Details {
            agent: None,
            is_named: false,
            level: Level::Abstract.name().to_string(),
            counts_chunks: true,
        };
        let mut documents = details_of(nodes, &details, &wanted)?;
        Ok(wanted.iter().filter_map(|of| documents.remove(of)).collect())
    })
}

/// The documents of the chunks that a search over several nodes finds.
pub fn search(request: &Request, level: Level, groups: &[i32]) -> Result<Vec<FoundDocument>> {
    searches::search_over(request, groups, |nodes, bases, found| {
        let home = |name: &str| bases.home(name);
        let chunks = found.chunks;
        let wanted: Vec<(Home, Uuid)> = chunks
            .iter()
            .filter_map(|chunk| Some((home(&chunk.knowledge_base)?, chunk.document_id)))
            .collect();
        let details = Documents::Details {
            agent: request.agent.map(id),
            is_named: request.names_bases(),
            level: level.name().to_string(),
            counts_chunks: false,
        };
        let documents = details_of(nodes, &details, &wanted)?;
        let by_name = documents.into_values().map(|of| ((of.knowledge_base.clone(), of.id), of)).collect();
        Ok(search::with_documents(chunks, by_name))
    })
}

/// Fails with an error by which the call goes to the node whose base has the document, unless it is this one. Where no base has it, this
/// server says so.
pub fn require_here(document: Uuid, groups: &[i32]) -> Result<()> {
    let holders = |notifies| {
        cluster::over(groups, |nodes| {
            let mut holders: BTreeMap<String, i32> = BTreeMap::new();
            let ask = Documents::Holders { document: id(document), notifies };
            // Of those that are here, this server tells itself.
            let others = nodes.groups().iter().filter(|group| !notifies || **group != nodes.own());
            let own = others.map(|group| (*group, nothing()));
            for (group, told) in nodes.ask(&DOCUMENTS, &ask, own.collect())? {
                let DocumentsTold::Holders(names) = told else { return Err(unexpected(group)?) };
                holders.extend(names.into_iter().map(|name| (name, group)));
            }
            Ok((holders, nodes.own()))
        })
    };
    let (found, own) = holders(false)?;
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    match found.values().next() {
        _ if names.len() > 1 => Err(scope::is_in(document, &names)),
        Some(group) if *group != own => {
            Err(cluster::is_there(*group, &format!("document \"{document}\" is"))?)
        }
        Some(_) => Ok(()),
        None => holders(true).map(drop),
    }
}

/// Documents of bases, from their nodes.
fn details_of(
    nodes: &Nodes,
    details: &Documents<Id>,
    wanted: &[(Home, Uuid)],
) -> Result<HashMap<(Home, Uuid), Document>, Stop> {
    let mut asked: BTreeMap<i32, BTreeMap<Id, Vec<Id>>> = BTreeMap::new();
    for ((group, base), document) in wanted {
        asked.entry(*group).or_default().entry(*base).or_default().push(id(*document));
    }
    let own: BTreeMap<i32, DocumentsAsked<Id>> = asked
        .into_iter()
        .map(|(group, of)| (group, DocumentsAsked { of: of.into_iter().collect() }))
        .collect();
    let bases: HashMap<i32, Vec<Id>> =
        own.iter().map(|(group, asked)| (*group, asked.of.iter().map(|(base, _)| *base).collect())).collect();
    let mut documents = HashMap::new();
    let mut left = Vec::new();
    for (group, told) in nodes.ask(&DOCUMENTS, details, own)? {
        let DocumentsTold::Details { of, rest } = told else { return Err(unexpected(group)?) };
        let base = |place: usize| bases.get(&group).and_then(|bases| bases.get(place)).copied();
        if of.is_empty() && !rest.is_empty() {
            return Err(unexpected(group)?);
        }
        for detail in of {
            let Some(base) = base(detail.base) else { return Err(unexpected(group)?) };
            let document = part::document(detail)?;
            documents.insert(((group, base), document.id), document);
        }
        for (place, document) in rest {
            let Some(base) = base(place) else { return Err(unexpected(group)?) };
            left.push(((group, base), uuid(document)));
        }
    }
    if !left.is_empty() {
        documents.extend(details_of(nodes, details, &left)?);
    }
    Ok(documents)
}

fn nothing() -> DocumentsAsked<Id> {
    DocumentsAsked { of: Vec::new() }
}

fn unexpected(group: i32) -> Result<Stop> {
    Ok(cluster::unreadable(group)?.into())
}
