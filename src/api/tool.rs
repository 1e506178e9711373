//! kb_context, kb_tools, kb_call_tool, kb_snippets, kb_retrieve with its prompts, and the functions behind kb_rag.search_history.

use pgrx::Uuid;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::agent::{self, ConfigFormat, Format, Style, Which};
use crate::choice;
use crate::cluster::here_or_there;
use crate::error::Result;
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::vector::Vector;
use crate::queue;
use crate::reader;
use crate::search::{self, DEFAULT_MATCH_COUNT, DEFAULT_NEIGHBORS, Duplicates, Request};

#[pg_extern(name = "kb_context", stable, parallel_restricted)]
#[allow(clippy::too_many_arguments)]
pub(super) fn kb_context_with_pages(
    call: Call,
    query: Option<&str>,
    knowledge_base: default!(Option<&str>, "NULL"),
    match_count: default!(Option<i64>, 5),
    match_threshold: default!(Option<f64>, "NULL"),
    style: default!(Option<&str>, "'relevance'"),
    mode: default!(Option<&str>, "'hybrid'"),
    filter: default!(Option<Jsonb>, "'{}'"),
    source_type: default!(Option<&str>, "NULL"),
    agent_id: default!(Option<Uuid>, "NULL"),
    query_embedding: default!(Option<Vector>, "NULL"),
    max_chars: default!(Option<i64>, "NULL"),
    page_numbers: default!(Option<bool>, false),
    neighbors: default!(Option<i32>, 0),
    knowledge_bases: default!(Option<Vec<Option<String>>>, "NULL"),
    duplicates: default!(Option<&str>, "'merge'"),
    whole_document: default!(Option<bool>, false),
) -> Result<Option<String>, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        let request = Request {
            knowledge_base,
            knowledge_bases: search::names_of(knowledge_bases)?,
            agent: agent_id,
            mode: choice::chosen(mode, search::DEFAULT_MODE)?,
            duplicates: choice::chosen(duplicates, Duplicates::OF_TEXTS)?,
            window: search::window_of(neighbors.map_or(DEFAULT_NEIGHBORS, i64::from))?,
            match_count: match_count.unwrap_or(DEFAULT_MATCH_COUNT),
            match_threshold,
            filter,
            source_type,
            query_embedding,
            ..Request::new(required(query, "query")?)
        };
        agent::context(
            request,
            choice::chosen(style, Style::DEFAULT)?,
            max_chars,
            page_numbers.unwrap_or(false),
            whole_document.unwrap_or(false),
        )
    })?)
}

#[pg_extern(name = "kb_tools", stable, parallel_restricted)]
pub(super) fn kb_tools_with_choice(
    call: Call,
    agent_id: default!(Option<Uuid>, "NULL"),
    format: default!(Option<&str>, "'mcp'"),
    tools: default!(Option<&str>, "'all'"),
) -> Result<Jsonb, ErrorReport> {
    Ok(here_or_there(call, || {
        let (format, which) =
            (choice::chosen(format, Format::DEFAULT)?, choice::chosen(tools, Which::DEFAULT)?);
        agent::tools(agent_id, format, which)
    })?)
}

#[pg_extern(stable, parallel_restricted)]
fn kb_tools_config(
    format: default!(Option<&str>, "'json'"),
    connection_url: default!(Option<&str>, "NULL"),
    agent_id: default!(Option<Uuid>, "NULL"),
) -> Result<String, ErrorReport> {
    Ok(agent::tools_config(agent_id, choice::chosen(format, ConfigFormat::DEFAULT)?, connection_url)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_call_tool(
    call: Call,
    name: Option<&str>,
    arguments: Option<Jsonb>,
    agent_id: default!(Option<Uuid>, "NULL"),
    session_id: default!(Option<&str>, "NULL"),
) -> Result<Jsonb, ErrorReport> {
    Ok(here_or_there(call, || agent::call(required(name, "name")?, arguments, agent_id, session_id))?)
}

#[pg_extern(name = "kb_snippets", volatile, parallel_unsafe)]
pub(super) fn kb_snippets_with_fallback(
    call: Call,
    messages: Option<Jsonb>,
    top_k: default!(Option<i64>, 5),
    agent_id: default!(Option<&str>, "NULL"),
    session_id: default!(Option<&str>, "NULL"),
    fallback_base: default!(Option<&str>, "NULL"),
) -> Result<Jsonb, ErrorReport> {
    let count = top_k.unwrap_or(DEFAULT_MATCH_COUNT);
    Ok(here_or_there(call, || agent::snippets(messages, count, agent_id, session_id, fallback_base))?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_retrieve(
    search: Option<Jsonb>,
    messages: Option<Jsonb>,
    session_id: default!(Option<&str>, "NULL"),
    agent_id: default!(Option<&str>, "NULL"),
) -> Result<Option<String>, ErrorReport> {
    Ok(reader::retrieve(search, messages, session_id, agent_id)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_check_search(search: Option<Jsonb>) -> Result<(), ErrorReport> {
    Ok(reader::check(search)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_rewrite_query(
    messages: Option<Jsonb>,
    instructions: default!(Option<&str>, "NULL"),
    model: default!(Option<&str>, "NULL"),
) -> Result<String, ErrorReport> {
    let messages = agent::messages_of(messages.as_ref())?;
    let instructions = instructions.map(str::to_string);
    let rewritten = agent::query_of(&messages, model, || Ok(instructions))?.shortened();
    if let Some(spent) = rewritten.spent {
        spent.record()?;
    }
    Ok(rewritten.query)
}

#[pg_extern(name = "kb_prompt_set", volatile, parallel_unsafe)]
pub(super) fn kb_prompt_set_with_version(
    id: Option<&str>,
    content: Option<&str>,
    version: default!(Option<i32>, "NULL"),
) -> Result<i32, ErrorReport> {
    Ok(agent::set_prompt(required(id, "id")?, required(content, "content")?, version)?)
}

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::type_complexity)] // pgrx reads the columns here
fn kb_prompt_list() -> Result<
    TableIterator<
        'static,
        (
            name!(id, String),
            name!(version, i32),
            name!(content, String),
            name!(owner, String),
            name!(created_at, TimestampWithTimeZone),
        ),
    >,
    ErrorReport,
> {
    let rows = agent::prompts()?
        .into_iter()
        .map(|prompt| (prompt.id, prompt.version, prompt.content, prompt.owner, prompt.created_at));
    Ok(TableIterator::new(rows))
}

#[pg_extern(sql = false)]
fn administered_bases() -> Result<Vec<Uuid>, ErrorReport> {
    Ok(agent::administered_bases()?)
}

#[pg_extern(sql = false)]
fn unsecured_bases() -> Result<Vec<Uuid>, ErrorReport> {
    Ok(agent::unsecured_bases()?)
}
