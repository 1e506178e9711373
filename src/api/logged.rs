//! kb_rag.logged_search, which kb-rag serve calls. Declared in sql/search_log.sql.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use super::search::{ChunkRow, row};
use crate::agent;
use crate::choice;
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::queue;
use crate::search::{
    self, DEFAULT_MATCH_COUNT, DEFAULT_MATCH_OFFSET, DEFAULT_NEIGHBORS, Duplicates, Request, Syntax,
};

#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn logged_search(
    query: Option<&str>,
    knowledge_base: Option<&str>,
    mode: Option<&str>,
    match_count: Option<i64>,
    filter: Option<Jsonb>,
    source_type: Option<&str>,
    agent_id: Option<Uuid>,
    fusion: Option<&str>,
    max_per_document: Option<i64>,
    syntax: Option<&str>,
    match_threshold: Option<f64>,
    match_offset: Option<i64>,
    neighbors: Option<i32>,
    knowledge_bases: Option<Vec<Option<String>>>,
    duplicates: Option<&str>,
    snippet: Option<bool>,
    session_id: Option<&str>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(chunk_id, Uuid),
            name!(document_id, Uuid),
            name!(knowledge_base, String),
            name!(title, Option<String>),
            name!(source, Option<String>),
            name!(content, String),
            name!(score, f64),
            name!(similarity, Option<f64>),
            name!(keyword_score, Option<f64>),
            name!(semantic_rank, Option<i32>),
            name!(keyword_rank, Option<i32>),
            name!(metadata, Jsonb),
            name!(source_type, Option<String>),
            name!(heading, Option<String>),
            name!(page, Option<i32>),
            name!(ordinal, Option<i32>),
            name!(start_char, Option<i32>),
            name!(end_char, Option<i32>),
            name!(relevance, Option<f64>),
            name!(context, Option<String>),
            name!(snippet, Option<String>),
            name!(duplicates, Option<Jsonb>),
        ),
    >,
    ErrorReport,
> {
    queue::wake_if_idle();
    let request = Request {
        knowledge_base,
        knowledge_bases: search::names_of(knowledge_bases)?,
        agent: agent_id,
        mode: choice::chosen(mode, search::DEFAULT_MODE)?,
        match_count: match_count.unwrap_or(DEFAULT_MATCH_COUNT),
        match_offset: match_offset.unwrap_or(DEFAULT_MATCH_OFFSET),
        filter,
        source_type,
        fusion: choice::chosen(fusion, search::DEFAULT_FUSION)?,
        max_per_document,
        duplicates: choice::chosen(duplicates, Duplicates::OF_ROWS)?,
        window: search::window_of(neighbors.map_or(DEFAULT_NEIGHBORS, i64::from))?,
        has_snippets: snippet.unwrap_or_default(),
        syntax: choice::chosen(syntax, Syntax::DEFAULT)?,
        match_threshold,
        ..Request::new(required(query, "query")?)
    };
    request.check()?;
    let chunks = agent::search(&request, session_id)?;
    let rows: Vec<ChunkRow> = chunks.into_iter().map(row).collect::<Result<_>>()?;
    Ok(TableIterator::new(rows))
}
