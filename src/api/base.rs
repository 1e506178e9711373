//! kb_create, kb_drop, kb_rename, kb_list.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base;
use crate::choice::Choice;
use crate::cluster::{self, here_or_vouched_there, of_base_or_all};
use crate::error::Result;
use crate::postgres::call::Call;
use crate::postgres::regconfig::RegConfig;
use crate::queue;

#[pg_extern(volatile, parallel_unsafe, name = "kb_create")]
#[allow(clippy::too_many_arguments)]
pub(super) fn kb_create_with_gate(
    name: Option<&str>,
    description: default!(Option<&str>, "NULL"),
    model: default!(Option<&str>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    chunk_size: default!(Option<i32>, 1000),
    chunk_overlap: default!(Option<i32>, 200),
    chunk_unit: default!(Option<&str>, "'char'"),
    chunk_strategy: default!(Option<&str>, "'auto'"),
    text_config: default!(Option<RegConfig>, "NULL"),
    ranker: default!(Option<&str>, "'bm25'"),
    index_method: default!(Option<&str>, "'auto'"),
    embed: default!(Option<&str>, "'auto'"),
    bm25_k1: default!(Option<f64>, 1.2),
    bm25_b: default!(Option<f64>, 0.75),
    title_weight: default!(Option<f64>, 2),
    heading_weight: default!(Option<f64>, 1.5),
    match_threshold: default!(Option<f64>, "NULL"),
    fold_accents: default!(Option<bool>, true),
    part_weight: default!(Option<f64>, 0.25),
    answer_threshold: default!(Option<f64>, "NULL"),
    log_searches: default!(Option<bool>, false),
    if_not_exists: default!(Option<bool>, false),
) -> Result<Uuid, ErrorReport> {
    // NULL takes the value of Settings::session_defaults().
    let changes = base::Changes {
        model,
        dimensions,
        chunk_size,
        chunk_overlap,
        chunk_unit,
        chunk_strategy,
        text_config: text_config.map(|config| config.0),
        ranker,
        index_method,
        embed,
        bm25_k1,
        bm25_b,
        title_weight,
        heading_weight,
        match_threshold,
        fold_accents,
        part_weight,
        lexeme_format: None,
        answer_threshold,
        log_searches,
        summaries: None,
    };
    let base =
        base::create(required(name, "name")?, description, &changes, if_not_exists.unwrap_or_default())?;
    Ok(base.id)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_drop(call: Call, name: Option<&str>) -> Result<(), ErrorReport> {
    let name = required(name, "name")?;
    Ok(here_or_vouched_there(call, || base::drop_base(name), || cluster::forget(name))?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_rename(call: Call, knowledge_base: Option<&str>, new_name: Option<&str>) -> Result<(), ErrorReport> {
    let (name, new_name) = (required(knowledge_base, "knowledge_base")?, required(new_name, "new_name")?);
    Ok(here_or_vouched_there(call, || base::rename(name, new_name), || cluster::rename(name, new_name))?)
}

#[pg_extern(stable, parallel_restricted, name = "kb_list")]
#[allow(clippy::type_complexity)]
fn kb_list_with_gate(
    call: Call,
) -> Result<
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
            name!(bm25_k1, f64),
            name!(bm25_b, f64),
            name!(title_weight, f64),
            name!(heading_weight, f64),
            name!(match_threshold, Option<f64>),
            name!(created_at, TimestampWithTimeZone),
            name!(fold_accents, bool),
            name!(part_weight, f64),
            name!(lexeme_format, i32),
            name!(answer_threshold, Option<f64>),
            name!(log_searches, bool),
            name!(summaries, Option<String>),
            name!(node, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let rows = of_base_or_all(call, None, || {
        queue::wake_if_idle();
        let node = cluster::own_node()?;
        let row = |b: base::KnowledgeBase| {
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
                b.settings.chunks.unit.name().to_string(),
                b.settings.chunks.strategy.name().to_string(),
                b.settings.text_config,
                b.settings.ranker.name().to_string(),
                b.settings.index_method.name().to_string(),
                b.settings.embed.name().to_string(),
                b.settings.ranking.bm25_k1,
                b.settings.ranking.bm25_b,
                b.settings.ranking.title_weight,
                b.settings.ranking.heading_weight,
                b.settings.match_threshold,
                b.created_at,
                b.settings.lexemes.fold_accents,
                b.settings.ranking.part_weight,
                b.settings.lexemes.format.number(),
                b.settings.answer_threshold,
                b.settings.log_searches,
                b.settings.summaries,
                node.clone(),
            )
        };
        Ok(base::readable()?.into_iter().map(row).collect())
    })?;
    Ok(TableIterator::new(rows))
}
