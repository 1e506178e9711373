//! kb_configure, kb_reindex, kb_reconcile, kb_adopt, kb_import.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base::Changes;
use crate::cluster::here_or_there;
use crate::ingest::Columns;
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::regclass::RegClass;
use crate::postgres::regconfig::RegConfig;
use crate::queue;
use crate::upkeep;

#[pg_extern(volatile, parallel_unsafe, name = "kb_configure")]
#[allow(clippy::too_many_arguments)]
pub(super) fn kb_configure_with_gate(
    call: Call,
    name: Option<&str>,
    description: default!(Option<&str>, "NULL"),
    model: default!(Option<&str>, "NULL"),
    dimensions: default!(Option<i32>, "NULL"),
    chunk_size: default!(Option<i32>, "NULL"),
    chunk_overlap: default!(Option<i32>, "NULL"),
    chunk_unit: default!(Option<&str>, "NULL"),
    chunk_strategy: default!(Option<&str>, "NULL"),
    text_config: default!(Option<RegConfig>, "NULL"),
    ranker: default!(Option<&str>, "NULL"),
    index_method: default!(Option<&str>, "NULL"),
    embed: default!(Option<&str>, "NULL"),
    bm25_k1: default!(Option<f64>, "NULL"),
    bm25_b: default!(Option<f64>, "NULL"),
    title_weight: default!(Option<f64>, "NULL"),
    heading_weight: default!(Option<f64>, "NULL"),
    match_threshold: default!(Option<f64>, "NULL"),
    fold_accents: default!(Option<bool>, "NULL"),
    part_weight: default!(Option<f64>, "NULL"),
    lexeme_format: default!(Option<i32>, "NULL"),
    answer_threshold: default!(Option<f64>, "NULL"),
    upsert_key: default!(Option<bool>, "NULL"),
    log_searches: default!(Option<bool>, "NULL"),
    summaries: default!(Option<&str>, "NULL"),
) -> Result<(), ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        let changes = Changes {
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
            lexeme_format,
            answer_threshold,
            log_searches,
            summaries,
        };
        upkeep::configure(required(name, "name")?, description, upsert_key, &changes)
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_reindex(call: Call, knowledge_base: Option<&str>) -> Result<(), ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        upkeep::reindex(required(knowledge_base, "knowledge_base")?)
    })?)
}

#[pg_extern(volatile, parallel_unsafe, name = "kb_reconcile")]
pub(super) fn kb_reconcile_with_outdated(
    call: Call,
    knowledge_base: Option<&str>,
    outdated: default!(Option<bool>, "false"),
) -> Result<i64, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        upkeep::reconcile(required(knowledge_base, "knowledge_base")?, outdated.unwrap_or_default())
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_adopt(
    schema: Option<&str>,
    name: default!(Option<&str>, "NULL"),
    model: default!(Option<&str>, "NULL"),
) -> Result<Uuid, ErrorReport> {
    Ok(upkeep::adopt(required(schema, "schema")?, name, model)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_import(
    knowledge_base: Option<&str>,
    source: Option<RegClass>,
    mapping: Option<Jsonb>,
) -> Result<i64, ErrorReport> {
    let knowledge_base = required(knowledge_base, "knowledge_base")?;
    let source = required(source, "source")?.qualified_name()?;
    let columns = Columns::from_json(&required(mapping, "mapping")?.flat())?;
    Ok(upkeep::import(knowledge_base, &source, &columns)?)
}
