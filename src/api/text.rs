//! kb_chunk, kb_embed, kb_embed_batch: functions that need no knowledge base.

use kb_rag_core::model_name::ModelName;
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::choice;
use crate::chunking::{self, ChunkSettings};
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::vector::{self, Vector};

#[pg_extern(name = "kb_chunk", immutable, parallel_safe)]
#[allow(clippy::type_complexity)]
pub(super) fn kb_chunk_with_context<'a>(
    content: Option<&'a str>,
    chunk_size: default!(Option<i32>, 1000),
    chunk_overlap: default!(Option<i32>, 200),
    unit: default!(Option<&str>, "'char'"),
    strategy: default!(Option<&str>, "'text'"),
) -> Result<
    TableIterator<
        'a,
        (
            name!(ordinal, i32),
            name!(content, &'a str),
            name!(start_char, i32),
            name!(end_char, i32),
            name!(heading, Option<String>),
            name!(context, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let content = required(content, "content")?;
    let defaults = ChunkSettings::of_text();
    let settings = ChunkSettings {
        size: chunk_size.unwrap_or(defaults.size),
        overlap: chunk_overlap.unwrap_or(defaults.overlap),
        unit: choice::chosen(unit, defaults.unit)?,
        strategy: choice::chosen(strategy, defaults.strategy)?,
    };
    let chunks = chunking::text_chunks(content, &settings)?;
    check_for_interrupts();
    // Neither the text nor its chunks are copied except into the row: the text may be as long as a value can be.
    let rows = chunks.enumerate().map(move |(ordinal, chunk)| {
        check_for_interrupts();
        (
            ordinal as i32,
            &content[chunk.bytes],
            chunk.chars.start as i32,
            chunk.chars.end as i32,
            chunk.heading.as_deref().map(str::to_string),
            chunk.context.as_deref().map(str::to_string),
        )
    });
    Ok(TableIterator::new(rows))
}

#[pg_extern(stable, parallel_safe)]
fn kb_embed(
    content: Option<&str>,
    model: default!(Option<&str>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    input_type: default!(Option<&str>, "'query'"),
) -> Result<Vector, ErrorReport> {
    let content = required(content, "content")?;
    let input = choice::chosen(input_type, model::DEFAULT_INPUT_TYPE)?;
    let model = model::resolve(&ModelName::new(model.unwrap_or(model::DEFAULT)))?.allowing_truncation();
    let dimensions = model.dimensions(dimensions)?;
    Ok(Vector(model.embed(content, dimensions, input)?))
}

#[pg_extern(stable, parallel_safe)]
fn kb_embed_batch(
    contents: Option<Vec<Option<String>>>,
    model: default!(Option<&str>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    input_type: default!(Option<&str>, "'document'"),
    fcinfo: pg_sys::FunctionCallInfo,
) -> Result<TableIterator<'static, (name!(ordinal, i32), name!(embedding, Vector))>, ErrorReport> {
    vector::require_vector_column(fcinfo, 1)?;
    let contents = required(contents, "contents")?;
    let input = choice::chosen(input_type, model::DEFAULT_BATCH_INPUT_TYPE)?;
    let model = model::resolve(&ModelName::new(model.unwrap_or(model::DEFAULT)))?.allowing_truncation();
    let dimensions = model.dimensions(dimensions)?;
    let contents = contents
        .into_iter()
        .enumerate()
        .map(|(ordinal, content)| {
            content.ok_or_else(|| Error::null("contents").detail(format!("Element {} is null.", ordinal + 1)))
        })
        .collect::<Result<Vec<String>>>()?;
    let embedded = model.embed_batch(&contents, dimensions, input)?;
    Ok(TableIterator::new(
        embedded.into_iter().enumerate().map(|(ordinal, vector)| (ordinal as i32, Vector(vector))),
    ))
}
