//! Documents of this server, for the server that lists those of several.

use kb_rag_core::spread::{Count, Detail, Documents, DocumentsAsked, DocumentsTold, Id, Newest};
use pgrx::prelude::*;

use super::browse;
use super::level::Level;
use super::rows::{self, Details, Document};
use super::scope;
use super::stats;
use crate::base::KnowledgeBase;
use crate::choice::Choice;
use crate::cluster;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::test_point::test_limit;
use crate::search::MAX_MATCH_COUNT;
use crate::search::part::{self, id, uuid};

/// A list over several nodes covers so many documents at most: each node tells the places of that many, some 100 bytes each.
pub const MAX_PLACES: i64 = 1_000_000;

/// With so many bytes of texts of documents, an answer takes no more: jsonb holds 256 MB.
const MAX_ANSWER_TEXT: usize = 32 << 20;
/// So many whole texts are read at once.
const CONTENTS_AT_ONCE: usize = 4;

/// The answer to a request about documents.
pub fn part(common: &Documents<Id>, own: &DocumentsAsked<Id>) -> Result<DocumentsTold<Id>> {
    match common {
        Documents::Counts => cluster::alone(|| {
            scope::over_own(|bases, circle| {
                let of = stats::of_bases(bases)?.into_iter().map(count).collect();
                Ok(DocumentsTold::Counts { of, circle })
            })
        }),
        Documents::Newest { max, .. } if *max > MAX_PLACES => {
            Err(part::out_of_range("more documents than a list over several nodes covers"))
        }
        Documents::Newest { source_type, filter, max } => {
            let filter = filter.as_deref().map(Jsonb::from_text).transpose()?;
            let filter = filter.as_ref().map_or(Ok(None), Filter::read)?;
            let newest = |base: &KnowledgeBase| {
                let places = browse::newest(base, source_type.as_deref(), filter.as_ref(), (*max).max(0))?;
                let places = places.into_iter().map(|(time, document)| (time.map(i64::from), id(document)));
                Ok(Newest { id: id(base.id), name: base.name.clone(), places: places.collect() })
            };
            cluster::alone(|| {
                scope::over_own(|bases, circle| {
                    let of = bases.iter().map(newest).collect::<Result<_>>()?;
                    Ok(DocumentsTold::Newest { of, circle })
                })
            })
        }
        Documents::Holders { document, notifies } => {
            cluster::alone(|| scope::holders_here(uuid(*document), *notifies)).map(DocumentsTold::Holders)
        }
        Documents::Details { agent, is_named, level, counts_chunks } => {
            let details = Details { level: Level::from_name(level)?, counts_chunks: *counts_chunks };
            if own.of.iter().map(|(_, ids)| ids.len()).sum::<usize>() as i64 > MAX_MATCH_COUNT {
                return Err(part::out_of_range("more documents than a call returns"));
            }
            let bases: Vec<Id> = own.of.iter().map(|(base, _)| *base).collect();
            part::over(&part::ids(&bases)?, agent.map(uuid), *is_named, |bases| {
                bases.iter().try_for_each(KnowledgeBase::require_read)?;
                read(&bases, &own.of, &details)
            })
        }
    }
}

/// As many of the documents as an answer takes.
fn read(bases: &[KnowledgeBase], asked: &[(Id, Vec<Id>)], details: &Details) -> Result<DocumentsTold<Id>> {
    let max = test_limit("max_answer_text", MAX_ANSWER_TEXT);
    let at_once = if details.level == Level::Content { CONTENTS_AT_ONCE } else { MAX_MATCH_COUNT as usize };
    let (mut of, mut rest, mut text) = (Vec::new(), Vec::new(), 0);
    for (place, (base, (_, ids))) in bases.iter().zip(asked).enumerate() {
        for ids in ids.chunks(at_once) {
            if text >= max {
                rest.extend(ids.iter().map(|id| (place, *id)));
                continue;
            }
            for document in rows::read(base, ids.iter().copied().map(uuid).collect(), details)?.into_values()
            {
                text += document.content.as_deref().map_or(0, str::len);
                of.push(detail(place, document));
            }
        }
    }
    Ok(DocumentsTold::Details { of, rest })
}

fn count((source_type, stats): (Option<String>, stats::Stats)) -> Count {
    let stats::Stats { documents, chunks, failed } = stats;
    Count { source_type, documents, chunks, failed }
}

/// A document of the base of this place, for another server.
pub fn detail(base: usize, document: Document) -> Detail<Id> {
    Detail {
        base,
        id: id(document.id),
        knowledge_base: document.knowledge_base,
        title: document.title,
        source: document.source,
        source_type: document.source_type,
        mime_type: document.mime_type,
        language: document.language,
        status: document.status,
        error_message: document.error_message,
        metadata: document.metadata.to_text(),
        created_at: document.created_at.map(i64::from),
        updated_at: document.updated_at.map(i64::from),
        chunks: document.chunks,
        abstract_text: document.abstract_text,
        overview: document.overview,
        content: document.content,
    }
}

/// The document that another server tells of.
pub fn document(detail: Detail<Id>) -> Result<Document> {
    Ok(Document {
        id: uuid(detail.id),
        knowledge_base: detail.knowledge_base,
        title: detail.title,
        source: detail.source,
        source_type: detail.source_type,
        mime_type: detail.mime_type,
        language: detail.language,
        status: detail.status,
        error_message: detail.error_message,
        metadata: Jsonb::from_text(&detail.metadata)?,
        created_at: time(detail.created_at)?,
        updated_at: time(detail.updated_at)?,
        chunks: detail.chunks,
        abstract_text: detail.abstract_text,
        overview: detail.overview,
        content: detail.content,
    })
}

/// A time that another server tells.
pub fn time(micros: Option<i64>) -> Result<Option<TimestampWithTimeZone>> {
    let read = |micros| {
        TimestampWithTimeZone::try_from(micros).map_err(|_| Error::internal("a time that is out of range"))
    };
    micros.map(read).transpose()
}
