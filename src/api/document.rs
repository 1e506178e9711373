//! kb_search_documents, kb_read, kb_browse, kb_stats, kb_delete, kb_delete_where, kb_refresh, kb_add_output. Those with a column `abstract`,
//! which is a keyword in Rust, are declared in sql/documents.sql.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::choice;
use crate::cluster::here_or_there;
use crate::document::{self, DEFAULT_BROWSE_COUNT, Document, FoundDocument, Level};
use crate::error::Result;
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::vector::Vector;
use crate::queue;
use crate::search::{self, DEFAULT_MATCH_COUNT, DEFAULT_MATCH_OFFSET, Duplicates, Request};

type FoundRow = (
    Uuid,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    String,
    Option<String>,
    Option<String>,
    f64,
    Option<f64>,
    Uuid,
    Jsonb,
    Option<f64>,
    Option<String>,
    Option<Jsonb>,
);

fn found_row(found: FoundDocument, level: Level) -> Result<FoundRow> {
    let FoundDocument { document: d, best_chunk_id, score, similarity, relevance, snippet, duplicates } =
        found;
    let duplicates = duplicates.map(|duplicates| Jsonb::from_value(&duplicates)).transpose()?;
    let text = d.text(level);
    Ok((
        d.id,
        d.knowledge_base,
        d.title,
        d.source,
        d.source_type,
        d.abstract_text,
        d.overview,
        text,
        score,
        similarity,
        best_chunk_id,
        d.metadata,
        relevance,
        snippet,
        duplicates,
    ))
}

#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
pub(super) fn kb_search_documents_with_relevance(
    call: Call,
    query: Option<&str>,
    knowledge_base: Option<&str>,
    match_count: Option<i64>,
    mode: Option<&str>,
    filter: Option<Jsonb>,
    source_type: Option<&str>,
    agent_id: Option<Uuid>,
    query_embedding: Option<Vector>,
    match_threshold: Option<f64>,
    level: Option<&str>,
    match_offset: Option<i64>,
    knowledge_bases: Option<Vec<Option<String>>>,
    duplicates: Option<&str>,
    snippet: Option<bool>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(document_id, Uuid),
            name!(knowledge_base, String),
            name!(title, Option<String>),
            name!(source, Option<String>),
            name!(source_type, Option<String>),
            name!(abstract_text, String),
            name!(overview, Option<String>),
            name!(text, Option<String>),
            name!(score, f64),
            name!(similarity, Option<f64>),
            name!(best_chunk_id, Uuid),
            name!(metadata, Jsonb),
            name!(relevance, Option<f64>),
            name!(snippet, Option<String>),
            name!(duplicates, Option<Jsonb>),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let level = choice::chosen(level, Level::OF_SEARCH)?;
        let request = Request {
            knowledge_base,
            knowledge_bases: search::names_of(knowledge_bases)?,
            agent: agent_id,
            mode: choice::chosen(mode, search::DEFAULT_MODE)?,
            match_count: match_count.unwrap_or(DEFAULT_MATCH_COUNT),
            match_offset: match_offset.unwrap_or(DEFAULT_MATCH_OFFSET),
            filter,
            source_type,
            query_embedding,
            max_per_document: Some(1),
            duplicates: choice::chosen(duplicates, Duplicates::OF_ROWS)?,
            has_snippets: snippet.unwrap_or_default(),
            match_threshold,
            ..Request::new(required(query, "query")?)
        };
        request.check()?;
        let found = document::search(&request, level)?;
        found.into_iter().map(|found| found_row(found, level)).collect::<Result<Vec<_>>>()
    })?;
    Ok(TableIterator::new(rows))
}

type ReadRow = (
    Uuid,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<i64>,
    String,
    Option<String>,
    Option<String>,
    Jsonb,
    Option<TimestampWithTimeZone>,
    Option<TimestampWithTimeZone>,
);

fn read_row(d: Document, level: Level) -> ReadRow {
    let text = d.text(level);
    (
        d.id,
        d.knowledge_base,
        d.title,
        d.source,
        d.source_type,
        d.mime_type,
        d.language,
        d.status,
        d.error_message,
        d.chunks,
        d.abstract_text,
        d.overview,
        text,
        d.metadata,
        d.created_at,
        d.updated_at,
    )
}

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn kb_read(
    call: Call,
    document_id: Option<Uuid>,
    level: Option<&str>,
    knowledge_base: Option<&str>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(document_id, Uuid),
            name!(knowledge_base, String),
            name!(title, Option<String>),
            name!(source, Option<String>),
            name!(source_type, Option<String>),
            name!(mime_type, Option<String>),
            name!(language, Option<String>),
            name!(status, Option<String>),
            name!(error_message, Option<String>),
            name!(chunks, Option<i64>),
            name!(abstract_text, String),
            name!(overview, Option<String>),
            name!(text, Option<String>),
            name!(metadata, Jsonb),
            name!(created_at, Option<TimestampWithTimeZone>),
            name!(updated_at, Option<TimestampWithTimeZone>),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let id = required(document_id, "document_id")?;
        let level = choice::chosen(level, Level::OF_READ)?;
        let document = document::read(id, level, knowledge_base)?;
        Ok(vec![read_row(document, level)])
    })?;
    Ok(TableIterator::new(rows))
}

pub(super) type BrowseRow = (
    Uuid,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<i64>,
    String,
    Option<TimestampWithTimeZone>,
    Option<TimestampWithTimeZone>,
);

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
pub(super) fn kb_browse_with_filter(
    call: Call,
    knowledge_base: Option<&str>,
    source_type: Option<&str>,
    match_count: Option<i64>,
    match_offset: Option<i64>,
    filter: Option<Jsonb>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(document_id, Uuid),
            name!(knowledge_base, String),
            name!(title, Option<String>),
            name!(source, Option<String>),
            name!(source_type, Option<String>),
            name!(mime_type, Option<String>),
            name!(status, Option<String>),
            name!(error_message, Option<String>),
            name!(chunks, Option<i64>),
            name!(abstract_text, String),
            name!(created_at, Option<TimestampWithTimeZone>),
            name!(updated_at, Option<TimestampWithTimeZone>),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let (count, offset) = (match_count.unwrap_or(DEFAULT_BROWSE_COUNT), match_offset.unwrap_or_default());
        let page = document::browse(knowledge_base, source_type, filter.as_ref(), count, offset)?;
        Ok(page
            .into_iter()
            .map(|d| -> BrowseRow {
                (
                    d.id,
                    d.knowledge_base,
                    d.title,
                    d.source,
                    d.source_type,
                    d.mime_type,
                    d.status,
                    d.error_message,
                    d.chunks,
                    d.abstract_text,
                    d.created_at,
                    d.updated_at,
                )
            })
            .collect::<Vec<_>>())
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::type_complexity)]
fn kb_stats(
    call: Call,
    knowledge_base: default!(Option<&str>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (name!(source_type, Option<String>), name!(documents, i64), name!(chunks, i64), name!(failed, i64)),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let stats = document::stats(knowledge_base)?;
        Ok(stats.into_iter().map(|(kind, s)| (kind, s.documents, s.chunks, s.failed)).collect::<Vec<_>>())
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_delete(
    call: Call,
    document_id: Option<Uuid>,
    knowledge_base: default!(Option<&str>, "NULL"),
) -> Result<bool, ErrorReport> {
    Ok(here_or_there(call, || document::delete(required(document_id, "document_id")?, knowledge_base))?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_delete_where(
    call: Call,
    knowledge_base: Option<&str>,
    filter: Option<Jsonb>,
    everything: default!(Option<bool>, "false"),
) -> Result<i64, ErrorReport> {
    Ok(here_or_there(call, || {
        let (name, filter) = (required(knowledge_base, "knowledge_base")?, required(filter, "filter")?);
        document::delete_where(name, &filter, everything.unwrap_or_default())
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_refresh(
    call: Call,
    document_id: Option<Uuid>,
    knowledge_base: default!(Option<&str>, "NULL"),
) -> Result<bool, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        document::refresh(required(document_id, "document_id")?, knowledge_base)
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_add_output(
    call: Call,
    knowledge_base: Option<&str>,
    output: Option<&str>,
    agent_id: default!(Option<&str>, "NULL"),
    title: default!(Option<&str>, "NULL"),
    metadata: default!(Option<Jsonb>, "'{}'"),
) -> Result<Option<Uuid>, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        let (knowledge_base, output) =
            (required(knowledge_base, "knowledge_base")?, required(output, "output")?);
        document::add_output(knowledge_base, output, agent_id, title, metadata.unwrap_or_default())
    })?)
}
