//! C symbols of earlier releases: catalogs that are not updated yet call them. Each does what the function of today does without
//! the arguments that it has got since.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::attach::kb_attach_with_options;
use super::base::kb_create_with_gate;
use super::document::kb_search_documents_with_relevance;
use super::expose::kb_expose_with_name;
use super::search::{HybridRow, kb_hybrid_search_with_relevance, kb_search_with_relevance, without_shape};
use super::tool::kb_context_with_pages;
use super::upkeep::kb_configure_with_gate;
use crate::base;
use crate::choice::Choice;
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::name::{Name, Names};
use crate::postgres::regclass::RegClass;
use crate::postgres::regconfig::RegConfig;
use crate::postgres::vector::Vector;
use crate::queue;

type OldChunkRow = (
    Uuid,
    Uuid,
    String,
    Option<String>,
    Option<String>,
    String,
    f64,
    Option<f64>,
    Option<f64>,
    Option<i32>,
    Option<i32>,
    Jsonb,
    Option<String>,
    Option<String>,
    Option<i32>,
    Option<i32>,
    Option<i32>,
    Option<i32>,
);

/// A row of kb_rag 0.3: without its last columns.
#[rustfmt::skip]
fn without_relevance(row: HybridRow) -> OldChunkRow {
    let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, _, _) = row;
    (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
}

#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn kb_hybrid_search(
    query: Option<&str>,
    knowledge_base: Option<&str>,
    match_count: Option<i64>,
    filter: Option<Jsonb>,
    source_type: Option<&str>,
    agent_id: Option<Uuid>,
    query_embedding: Option<Vector>,
    keyword_weight: Option<f64>,
    semantic_weight: Option<f64>,
    rrf_k: Option<i64>,
    ranker: Option<&str>,
    fusion: Option<&str>,
    max_per_document: Option<i64>,
    syntax: Option<&str>,
    match_threshold: Option<f64>,
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
        ),
    >,
    ErrorReport,
> {
    let found = kb_hybrid_search_with_relevance(
        Call::none(),
        query,
        knowledge_base,
        match_count,
        filter,
        source_type,
        agent_id,
        query_embedding,
        keyword_weight,
        semantic_weight,
        rrf_k,
        ranker,
        fusion,
        max_per_document,
        syntax,
        match_threshold,
        None,
    )?;
    Ok(TableIterator::new(found.map(without_relevance)))
}

#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn kb_search(
    query: Option<&str>,
    knowledge_base: Option<&str>,
    mode: Option<&str>,
    match_count: Option<i64>,
    filter: Option<Jsonb>,
    source_type: Option<&str>,
    agent_id: Option<Uuid>,
    query_embedding: Option<Vector>,
    keyword_weight: Option<f64>,
    semantic_weight: Option<f64>,
    rrf_k: Option<i64>,
    ranker: Option<&str>,
    fusion: Option<&str>,
    max_per_document: Option<i64>,
    syntax: Option<&str>,
    match_threshold: Option<f64>,
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
        ),
    >,
    ErrorReport,
> {
    let found = kb_search_with_relevance(
        Call::none(),
        query,
        knowledge_base,
        mode,
        match_count,
        filter,
        source_type,
        agent_id,
        query_embedding,
        keyword_weight,
        semantic_weight,
        rrf_k,
        ranker,
        fusion,
        max_per_document,
        syntax,
        match_threshold,
        None,
        None,
        None,
        None,
        None,
    )?;
    Ok(TableIterator::new(found.map(without_shape).map(without_relevance)))
}

#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn kb_search_documents(
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
        ),
    >,
    ErrorReport,
> {
    let found = kb_search_documents_with_relevance(
        Call::none(),
        query,
        knowledge_base,
        match_count,
        mode,
        filter,
        source_type,
        agent_id,
        query_embedding,
        match_threshold,
        level,
        None,
        None,
        None,
        None,
    )?;
    Ok(TableIterator::new(
        found.map(|(a, b, c, d, e, f, g, h, i, j, k, l, ..)| (a, b, c, d, e, f, g, h, i, j, k, l)),
    ))
}

#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments)]
fn kb_context(
    query: Option<&str>,
    knowledge_base: Option<&str>,
    match_count: Option<i64>,
    match_threshold: Option<f64>,
    style: Option<&str>,
    mode: Option<&str>,
    filter: Option<Jsonb>,
    source_type: Option<&str>,
    agent_id: Option<Uuid>,
    query_embedding: Option<Vector>,
    max_chars: Option<i64>,
) -> Result<Option<String>, ErrorReport> {
    kb_context_with_pages(
        Call::none(),
        query,
        knowledge_base,
        match_count,
        match_threshold,
        style,
        mode,
        filter,
        source_type,
        agent_id,
        query_embedding,
        max_chars,
        None,
        None,
        None,
        None,
        None,
    )
}

#[pg_extern(sql = false)]
fn kb_attach(
    source: Option<RegClass>,
    knowledge_base: Option<&str>,
    content: Option<Name>,
    title: Option<Name>,
    metadata: Option<Names>,
    source_type: Option<&str>,
    row_security: Option<&str>,
) -> Result<Uuid, ErrorReport> {
    kb_attach_with_options(
        source,
        knowledge_base,
        content,
        title,
        metadata,
        source_type,
        row_security,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    )
}

#[pg_extern(sql = false)]
fn kb_expose(knowledge_base: Option<&str>, layout: Option<&str>) -> Result<String, ErrorReport> {
    kb_expose_with_name(knowledge_base, layout, None, None)
}

#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments)]
fn kb_create(
    name: Option<&str>,
    description: Option<&str>,
    model: Option<&str>,
    dimensions: Option<i32>,
    chunk_size: Option<i32>,
    chunk_overlap: Option<i32>,
    chunk_unit: Option<&str>,
    chunk_strategy: Option<&str>,
    text_config: Option<RegConfig>,
    ranker: Option<&str>,
    index_method: Option<&str>,
    embed: Option<&str>,
    bm25_k1: Option<f64>,
    bm25_b: Option<f64>,
    title_weight: Option<f64>,
    heading_weight: Option<f64>,
    match_threshold: Option<f64>,
) -> Result<Uuid, ErrorReport> {
    kb_create_with_gate(
        name,
        description,
        model,
        dimensions,
        chunk_size,
        chunk_overlap,
        chunk_unit,
        chunk_strategy,
        text_config,
        ranker,
        index_method,
        embed,
        bm25_k1,
        bm25_b,
        title_weight,
        heading_weight,
        match_threshold,
        None,
        None,
        None,
        None,
        None,
    )
}

#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments)]
fn kb_configure(
    name: Option<&str>,
    description: Option<&str>,
    model: Option<&str>,
    dimensions: Option<i32>,
    chunk_size: Option<i32>,
    chunk_overlap: Option<i32>,
    chunk_unit: Option<&str>,
    chunk_strategy: Option<&str>,
    text_config: Option<RegConfig>,
    ranker: Option<&str>,
    index_method: Option<&str>,
    embed: Option<&str>,
    bm25_k1: Option<f64>,
    bm25_b: Option<f64>,
    title_weight: Option<f64>,
    heading_weight: Option<f64>,
    match_threshold: Option<f64>,
) -> Result<(), ErrorReport> {
    kb_configure_with_gate(
        Call::none(),
        name,
        description,
        model,
        dimensions,
        chunk_size,
        chunk_overlap,
        chunk_unit,
        chunk_strategy,
        text_config,
        ranker,
        index_method,
        embed,
        bm25_k1,
        bm25_b,
        title_weight,
        heading_weight,
        match_threshold,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    )
}

#[pg_extern(sql = false)]
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
            name!(chunk_unit, &'static str),
            name!(chunk_strategy, &'static str),
            name!(text_config, String),
            name!(ranker, &'static str),
            name!(index_method, &'static str),
            name!(embed, &'static str),
            name!(bm25_k1, f64),
            name!(bm25_b, f64),
            name!(title_weight, f64),
            name!(heading_weight, f64),
            name!(match_threshold, Option<f64>),
            name!(created_at, TimestampWithTimeZone),
        ),
    >,
    ErrorReport,
> {
    queue::wake_if_idle();
    Ok(TableIterator::new(base::readable()?.into_iter().map(|b| {
        (
            b.id,
            b.name,
            b.schema,
            b.description,
            b.owner,
            b.settings.space.model.to_string(),
            b.settings.space.dimensions,
            b.settings.chunks.size,
            b.settings.chunks.overlap,
            b.settings.chunks.unit.name(),
            b.settings.chunks.strategy.name(),
            b.settings.text_config,
            b.settings.ranker.name(),
            b.settings.index_method.name(),
            b.settings.embed.name(),
            b.settings.ranking.bm25_k1,
            b.settings.ranking.bm25_b,
            b.settings.ranking.title_weight,
            b.settings.ranking.heading_weight,
            b.settings.match_threshold,
            b.created_at,
        )
    })))
}
