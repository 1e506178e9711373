//! kb_create, kb_drop, kb_list, kb_attach_agent, kb_detach_agent.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::{RegConfig, required};
use crate::base;
use crate::error::Result;

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn kb_create(
    name: Option<&str>,
    description: default!(Option<&str>, "NULL"),
    model: default!(Option<&str>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    chunk_size: default!(Option<i32>, 1000),
    chunk_overlap: default!(Option<i32>, 200),
    chunk_unit: default!(Option<&str>, "'char'"),
    chunk_strategy: default!(Option<&str>, "'auto'"),
    text_config: default!(Option<RegConfig>, "NULL"),
    ranker: default!(Option<&str>, "'ts_rank'"),
    index_method: default!(Option<&str>, "'auto'"),
    embed: default!(Option<&str>, "'auto'"),
) -> Result<Uuid, ErrorReport> {
    let base = base::create(&base::Request {
        name: required(name, "name")?,
        description,
        model,
        dimensions,
        chunk_size: required(chunk_size, "chunk_size")?,
        chunk_overlap: required(chunk_overlap, "chunk_overlap")?,
        chunk_unit: required(chunk_unit, "chunk_unit")?,
        chunk_strategy: required(chunk_strategy, "chunk_strategy")?,
        text_config: text_config.map(|config| config.0),
        ranker: required(ranker, "ranker")?,
        index_method: required(index_method, "index_method")?,
        embed: required(embed, "embed")?,
    })?;
    Ok(base.id)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_drop(name: Option<&str>) -> Result<(), ErrorReport> {
    Ok(base::drop_base(required(name, "name")?)?)
}

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::type_complexity)]
fn kb_list() -> Result<
    TableIterator<
        'static,
        (
            name!(id, Uuid),
            name!(name, String),
            name!(schema, String),
            name!(description, Option<String>),
            name!(owner, String),
            name!(model, String),
            name!(dimensions, i32),
            name!(chunk_size, i32),
            name!(chunk_overlap, i32),
            name!(chunk_unit, String),
            name!(chunk_strategy, String),
            name!(text_config, String),
            name!(ranker, String),
            name!(index_method, String),
            name!(embed, String),
            name!(created_at, TimestampWithTimeZone),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(base::readable()?.into_iter().map(|b| {
        (
            b.id,
            b.name,
            b.schema,
            b.description,
            b.owner,
            b.model,
            b.dimensions,
            b.chunk_size,
            b.chunk_overlap,
            b.chunk_unit,
            b.chunk_strategy,
            b.text_config,
            b.ranker,
            b.index_method,
            b.embed,
            b.created_at,
        )
    })))
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_attach_agent(agent_id: Option<Uuid>, knowledge_base: Option<&str>) -> Result<(), ErrorReport> {
    Ok(base::attach_agent(required(agent_id, "agent_id")?, required(knowledge_base, "knowledge_base")?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_detach_agent(agent_id: Option<Uuid>, knowledge_base: Option<&str>) -> Result<(), ErrorReport> {
    Ok(base::detach_agent(required(agent_id, "agent_id")?, required(knowledge_base, "knowledge_base")?)?)
}
