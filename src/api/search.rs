//! kb_search, kb_hybrid_search, match_knowledge_chunks.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base::Ranker;
use crate::choice::{self, Choice};
use crate::cluster::here_or_there;
use crate::error::Result;
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::vector::Vector;
use crate::queue;
use crate::search::{
    self, DEFAULT_MATCH_COUNT, DEFAULT_MATCH_OFFSET, DEFAULT_NEIGHBORS, DEFAULT_RRF_K, DEFAULT_THRESHOLD,
    DEFAULT_WEIGHT, Duplicates, FoundChunk, Fusion, Request, Syntax,
};

/// A row of kb_hybrid_search.
pub(super) type HybridRow = (
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
    Option<f64>,
    Option<String>,
);

/// A row of kb_search.
pub(super) type ChunkRow = (
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
    Option<f64>,
    Option<String>,
    Option<String>,
    Option<Jsonb>,
);

pub(super) fn row(p: FoundChunk) -> Result<ChunkRow> {
    let duplicates = p.duplicates.map(|duplicates| Jsonb::from_value(&duplicates)).transpose()?;
    Ok((
        p.chunk_id,
        p.document_id,
        p.knowledge_base,
        p.title,
        p.source,
        p.content,
        p.score,
        p.similarity,
        p.keyword_score,
        p.semantic_rank,
        p.keyword_rank,
        p.metadata,
        p.source_type,
        p.heading,
        p.page,
        p.ordinal,
        p.start_char,
        p.end_char,
        p.relevance,
        p.context,
        p.snippet,
        duplicates,
    ))
}

#[pg_extern(name = "kb_hybrid_search", stable, parallel_restricted)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
pub(super) fn kb_hybrid_search_with_relevance(
    call: Call,
    query: Option<&str>,
    knowledge_base: default!(Option<&str>, "NULL"),
    match_count: default!(Option<i64>, 5),
    filter: default!(Option<Jsonb>, "'{}'"),
    source_type: default!(Option<&str>, "NULL"),
    agent_id: default!(Option<Uuid>, "NULL"),
    query_embedding: default!(Option<Vector>, "NULL"),
    keyword_weight: default!(Option<f64>, 1),
    semantic_weight: default!(Option<f64>, 1),
    rrf_k: default!(Option<i64>, 10),
    ranker: default!(Option<&str>, "NULL"),
    fusion: default!(Option<&str>, "'rrf'"),
    max_per_document: default!(Option<i64>, "NULL"),
    syntax: default!(Option<&str>, "'plain'"),
    match_threshold: default!(Option<f64>, "NULL"),
    match_offset: default!(Option<i64>, 0),
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
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        let found = found_rows(
            query,
            knowledge_base,
            Some("hybrid"),
            match_count,
            filter,
            source_type,
            agent_id,
            query_embedding,
            keyword_weight,
            semantic_weight,
            rrf_k,
            ranker,
            fusion.or(Some(Fusion::ReciprocalRank.name())),
            max_per_document,
            syntax,
            match_threshold,
            match_offset,
            None,
            None,
            None,
            None,
        )?;
        Ok(found.into_iter().map(without_shape).collect::<Vec<HybridRow>>())
    })?;
    Ok(TableIterator::new(rows))
}

/// The row of kb_hybrid_search.
#[allow(clippy::type_complexity)]
pub(super) fn without_shape(row: ChunkRow) -> HybridRow {
    let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, _, _) = row;
    (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
}

#[pg_extern(name = "kb_search", stable, parallel_restricted)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
pub(super) fn kb_search_with_relevance(
    call: Call,
    query: Option<&str>,
    knowledge_base: default!(Option<&str>, "NULL"),
    mode: default!(Option<&str>, "'hybrid'"),
    match_count: default!(Option<i64>, 5),
    filter: default!(Option<Jsonb>, "'{}'"),
    source_type: default!(Option<&str>, "NULL"),
    agent_id: default!(Option<Uuid>, "NULL"),
    query_embedding: default!(Option<Vector>, "NULL"),
    keyword_weight: default!(Option<f64>, 1),
    semantic_weight: default!(Option<f64>, 1),
    rrf_k: default!(Option<i64>, 10),
    ranker: default!(Option<&str>, "NULL"),
    fusion: default!(Option<&str>, "'relative'"),
    max_per_document: default!(Option<i64>, "NULL"),
    syntax: default!(Option<&str>, "'plain'"),
    match_threshold: default!(Option<f64>, "NULL"),
    match_offset: default!(Option<i64>, 0),
    neighbors: default!(Option<i32>, 0),
    knowledge_bases: default!(Option<Vec<Option<String>>>, "NULL"),
    duplicates: default!(Option<&str>, "'keep'"),
    snippet: default!(Option<bool>, false),
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
    let rows = here_or_there(call, || {
        found_rows(
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
            match_offset,
            neighbors,
            knowledge_bases,
            duplicates,
            snippet,
        )
    })?;
    Ok(TableIterator::new(rows))
}

/// The rows of kb_search, found on this server.
#[allow(clippy::too_many_arguments)]
fn found_rows(
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
    match_offset: Option<i64>,
    neighbors: Option<i32>,
    knowledge_bases: Option<Vec<Option<String>>>,
    duplicates: Option<&str>,
    snippet: Option<bool>,
) -> Result<Vec<ChunkRow>> {
    queue::wake_if_idle();
    let query = required(query, "query")?;
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
        keyword_weight: keyword_weight.unwrap_or(DEFAULT_WEIGHT),
        semantic_weight: semantic_weight.unwrap_or(DEFAULT_WEIGHT),
        rrf_k: rrf_k.unwrap_or(DEFAULT_RRF_K),
        fusion: choice::chosen(fusion, search::DEFAULT_FUSION)?,
        max_per_document,
        duplicates: choice::chosen(duplicates, Duplicates::OF_ROWS)?,
        window: search::window_of(neighbors.map_or(DEFAULT_NEIGHBORS, i64::from))?,
        has_snippets: snippet.unwrap_or_default(),
        ranker: ranker.map(Ranker::from_name).transpose()?,
        syntax: choice::chosen(syntax, Syntax::DEFAULT)?,
        match_threshold,
        ..Request::new(query)
    };
    request.check()?;
    let found = search::search(&request)?;
    found.chunks.into_iter().map(row).collect::<Result<Vec<ChunkRow>>>()
}

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::type_complexity)]
fn match_knowledge_chunks(
    call: Call,
    p_agent_id: Option<Uuid>,
    p_query_embedding: Option<Vector>,
    p_match_count: default!(Option<i64>, 5),
    p_match_threshold: default!(Option<f64>, "0.3"),
) -> Result<
    TableIterator<
        'static,
        (name!(id, Uuid), name!(content, String), name!(similarity, f64), name!(metadata, Jsonb)),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let chunks = search::similar_chunks(
            required(p_agent_id, "p_agent_id")?,
            &required(p_query_embedding, "p_query_embedding")?,
            p_match_count.unwrap_or(DEFAULT_MATCH_COUNT),
            p_match_threshold.unwrap_or(DEFAULT_THRESHOLD),
        )?;
        Ok(chunks.into_iter().map(|c| (c.id, c.content, c.similarity, c.metadata)).collect::<Vec<_>>())
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::too_many_arguments)]
fn kb_explain(
    call: Call,
    query: Option<&str>,
    knowledge_base: Option<&str>,
    chunk_id: default!(Option<Uuid>, "NULL"),
    mode: default!(Option<&str>, "'hybrid'"),
    match_count: default!(Option<i64>, 5),
    filter: default!(Option<Jsonb>, "'{}'"),
    source_type: default!(Option<&str>, "NULL"),
    agent_id: default!(Option<Uuid>, "NULL"),
    query_embedding: default!(Option<Vector>, "NULL"),
    keyword_weight: default!(Option<f64>, 1),
    semantic_weight: default!(Option<f64>, 1),
    rrf_k: default!(Option<i64>, 10),
    ranker: default!(Option<&str>, "NULL"),
    fusion: default!(Option<&str>, "'relative'"),
    max_per_document: default!(Option<i64>, "NULL"),
    syntax: default!(Option<&str>, "'plain'"),
    match_threshold: default!(Option<f64>, "NULL"),
    match_offset: default!(Option<i64>, 0),
    duplicates: default!(Option<&str>, "'keep'"),
) -> Result<Jsonb, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        let query = required(query, "query")?;
        let request = Request {
            knowledge_base: Some(required(knowledge_base, "knowledge_base")?),
            agent: agent_id,
            mode: choice::chosen(mode, search::DEFAULT_MODE)?,
            match_count: match_count.unwrap_or(DEFAULT_MATCH_COUNT),
            match_offset: match_offset.unwrap_or(DEFAULT_MATCH_OFFSET),
            filter,
            source_type,
            query_embedding,
            keyword_weight: keyword_weight.unwrap_or(DEFAULT_WEIGHT),
            semantic_weight: semantic_weight.unwrap_or(DEFAULT_WEIGHT),
            rrf_k: rrf_k.unwrap_or(DEFAULT_RRF_K),
            fusion: choice::chosen(fusion, search::DEFAULT_FUSION)?,
            max_per_document,
            duplicates: choice::chosen(duplicates, Duplicates::OF_ROWS)?,
            ranker: ranker.map(Ranker::from_name).transpose()?,
            syntax: choice::chosen(syntax, Syntax::DEFAULT)?,
            match_threshold,
            ..Request::new(query)
        };
        request.check()?;
        Jsonb::from_value(&search::explain(&request, chunk_id)?)
    })?)
}
