//! As [`super::released`], of functions on texts, documents, tools and prompts.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::document::kb_browse_with_filter;
use super::text::kb_chunk_with_context;
use super::tool::{kb_prompt_set_with_version, kb_snippets_with_fallback, kb_tools_with_choice};
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn kb_chunk<'a>(
    content: Option<&'a str>,
    chunk_size: Option<i32>,
    chunk_overlap: Option<i32>,
    unit: Option<&str>,
    strategy: Option<&str>,
) -> Result<
    TableIterator<
        'a,
        (
            name!(ordinal, i32),
            name!(content, &'a str),
            name!(start_char, i32),
            name!(end_char, i32),
            name!(heading, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let chunks = kb_chunk_with_context(content, chunk_size, chunk_overlap, unit, strategy)?;
    Ok(TableIterator::new(
        chunks.map(|(ordinal, content, start, end, heading, _)| (ordinal, content, start, end, heading)),
    ))
}

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn kb_browse(
    knowledge_base: Option<&str>,
    source_type: Option<&str>,
    match_count: Option<i64>,
    match_offset: Option<i64>,
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
    kb_browse_with_filter(Call::none(), knowledge_base, source_type, match_count, match_offset, None)
}

#[pg_extern(sql = false)]
fn kb_tools(agent_id: Option<Uuid>, format: Option<&str>) -> Result<Jsonb, ErrorReport> {
    kb_tools_with_choice(Call::none(), agent_id, format, None)
}

#[pg_extern(sql = false)]
fn kb_prompt_set(id: Option<&str>, content: Option<&str>) -> Result<i32, ErrorReport> {
    kb_prompt_set_with_version(id, content, None)
}

#[pg_extern(sql = false)]
fn kb_snippets(
    messages: Option<Jsonb>,
    top_k: Option<i64>,
    agent_id: Option<&str>,
    session_id: Option<&str>,
) -> Result<Jsonb, ErrorReport> {
    kb_snippets_with_fallback(Call::none(), messages, top_k, agent_id, session_id, None)
}
