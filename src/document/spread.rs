//! Lists of documents over several nodes: each node tells of its own.

use std::collections::{BTreeMap, HashMap};

use kb_rag_core::spread::{Documents, DocumentsAsked, DocumentsTold, Id};
use pgrx::Uuid;

use super::browse::{Page, Place};
use super::level::Level;
use super::part;
use super::rows::Document;
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
        let (mut sums, mut has_any) = (Sums::default(), false);
        for (group, told) in nodes.ask_all(&DOCUMENTS, &Documents::Counts, &nothing())? {
            let DocumentsTold::Counts { of, has_bases } = told else { return Err(unexpected(group)?) };
            has_any |= has_bases;
            for count in of {
                let (documents, chunks, failed) = (count.documents, count.chunks, count.failed);
                sums.add(count.source_type, Stats { documents, chunks, failed });
            }
        }
        remark_unless(has_any);
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
        let (mut bases, mut has_any) = (BTreeMap::new(), false);
        for (group, told) in nodes.ask_all(&DOCUMENTS, &newest, &nothing())? {
            let DocumentsTold::Newest { of, has_bases } = told else { return Err(unexpected(group)?) };
            has_any |= has_bases;
            bases.extend(of.into_iter().map(|base| (base.name, ((group, base.id), base.places))));
        }
        remark_unless(has_any);
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
    for (group, told) in nodes.ask(&DOCUMENTS, details, own)? {
        let DocumentsTold::Details(of) = told else { return Err(unexpected(group)?) };
        for detail in of {
            let base = bases.get(&group).and_then(|bases| bases.get(detail.base));
            let Some(base) = base.copied() else { return Err(unexpected(group)?) };
            let document = part::document(detail)?;
            documents.insert(((group, base), document.id), document);
        }
    }
    Ok(documents)
}

fn nothing() -> DocumentsAsked<Id> {
    DocumentsAsked { of: Vec::new() }
}

fn unexpected(group: i32) -> Result<Stop> {
    Ok(cluster::unreadable(group)?.into())
}

fn remark_unless(has_bases: bool) {
    if !has_bases {
        searches::remark_of_no_base();
    }
}
