//! The rows of results in the bases of this server.

use std::collections::HashSet;

use kb_rag_core::search::Hit;
use kb_rag_core::spread::{Copy, Exact, Id, Row, Rows, RowsAsked, RowsTold};

use super::{check_place, check_window, id, ids, out_of_range, over, request, uuid};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::spi;
use crate::search::request::MAX_MATCH_COUNT;
use crate::search::{Candidate, FoundChunk, Request, lexemes, results};

/// The rows that the caller can still see, and the copies.
pub fn rows(common: &Rows<Id>, own: &RowsAsked<Id>) -> Result<RowsTold<Id>> {
    let bases = ids(&own.bases)?;
    own.rows.iter().try_for_each(|row| check_place(row.base, bases.len()))?;
    let distinct: HashSet<Id> = own.rows.iter().map(|row| row.id).collect();
    if distinct.len() < own.rows.len() || own.rows.len() as i64 > MAX_MATCH_COUNT {
        return Err(out_of_range("a row twice, or more rows than a search finds"));
    }
    common.window.map_or(Ok(()), check_window)?;
    own.copies.iter().try_for_each(|(base, _)| check_place(*base, bases.len()))?;
    let request = Request { window: common.window, ..request(&common.question)? };
    over(&bases, common.agent.map(uuid), common.is_named, |bases| {
        guc::with_settings(&[], || spi::connect(|connection| told(connection, &request, common, own, &bases)))
    })
}

fn told(
    connection: &spi::Connection,
    request: &Request,
    common: &Rows<Id>,
    own: &RowsAsked<Id>,
    bases: &[KnowledgeBase],
) -> Result<RowsTold<Id>> {
    let hit = |row: &kb_rag_core::spread::RowAsked<Id>| Hit {
        id: Candidate { chunk: uuid(row.id), base: row.base },
        score: 0.0,
        similarity: row.similarity.map(|Exact(similarity)| similarity),
        is_reliable: row.similarity.is_some(),
        keyword_score: None,
        keyword_rank: None,
        semantic_rank: None,
        window: row.window.map(|(start, end)| start..end),
        copies: Vec::new(),
    };
    let hits: Vec<Hit<_>> = own.rows.iter().map(hit).collect();
    let mut found = results::fetch(connection, request, bases, hits)?;
    if common.has_snippets {
        lexemes::add_snippets(request, bases, &mut found)?;
    }
    let place = |name: &str| bases.iter().position(|base| base.name == name).unwrap_or_default();
    let copies: Vec<Candidate> =
        own.copies.iter().map(|(base, chunk)| Candidate { chunk: uuid(*chunk), base: *base }).collect();
    let copies = results::copies(connection, bases, &copies)?;
    Ok(RowsTold {
        rows: found.into_iter().map(|found| row(place(&found.knowledge_base), found)).collect(),
        copies: copies
            .into_iter()
            .map(|(of, (document, source))| Copy {
                base: of.base,
                id: id(of.chunk),
                document_id: id(document),
                source,
            })
            .collect(),
    })
}

fn row(base: usize, found: FoundChunk) -> Row<Id> {
    Row {
        base,
        id: id(found.chunk_id),
        document_id: id(found.document_id),
        title: found.title,
        source: found.source,
        content: found.content,
        relevance: found.relevance.map(Exact),
        metadata: found.metadata.to_text(),
        source_type: found.source_type,
        heading: found.heading,
        page: found.page,
        ordinal: found.ordinal,
        start_char: found.start_char,
        end_char: found.end_char,
        context: found.context,
        snippet: found.snippet,
        text_config: found.text_config,
    }
}
