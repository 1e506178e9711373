//! As [`super::released`], of functions that keep knowledge bases up to date.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::attach::SourceRow;
use super::provider::kb_estimate_with_outdated;
use super::status::StatusRow;
use super::upkeep::kb_reconcile_with_outdated;
use crate::pipeline;
use crate::postgres::call::Call;
use crate::queue;

#[pg_extern(sql = false)]
fn kb_reconcile(knowledge_base: Option<&str>) -> Result<i64, ErrorReport> {
    kb_reconcile_with_outdated(Call::none(), knowledge_base, None)
}

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn kb_estimate(
    knowledge_base: Option<&str>,
    model: Option<&str>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(model, String),
            name!(chunks, i64),
            name!(tokens, i64),
            name!(calls, i64),
            name!(cost, Option<f64>),
        ),
    >,
    ErrorReport,
> {
    kb_estimate_with_outdated(Call::none(), knowledge_base, model, None, None)
}

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn base_status() -> Result<
    TableIterator<
        'static,
        (
            name!(knowledge_base, String),
            name!(schema, String),
            name!(model, String),
            name!(dimensions, i32),
            name!(documents, Option<i64>),
            name!(pending, Option<i64>),
            name!(indexed, Option<i64>),
            name!(failed, Option<i64>),
            name!(chunks, Option<i64>),
            name!(embedded, Option<i64>),
            name!(coverage, Option<f64>),
            name!(table_bytes, Option<i64>),
            name!(index_bytes, Option<i64>),
            name!(unmerged_segments, Option<i64>),
            name!(model_variants, Vec<String>),
            name!(variant_in_use, Option<String>),
            name!(kernel, Option<String>),
            name!(oldest_pending, Option<Interval>),
            name!(paused, Option<String>),
            name!(chunks_per_second, Option<f64>),
            name!(time_to_go, Option<Interval>),
            name!(model_change, Option<String>),
            name!(note, Option<String>),
            name!(counted_at, Option<TimestampWithTimeZone>),
        ),
    >,
    ErrorReport,
> {
    queue::wake_if_idle();
    Ok(TableIterator::new(pipeline::status()?.into_iter().map(StatusRow::from)))
}

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn source_overview() -> Result<
    TableIterator<
        'static,
        (
            name!(knowledge_base, String),
            name!(source_id, Uuid),
            name!(location, String),
            name!(status, String),
            name!(error_message, Option<String>),
            name!(documents, Option<i64>),
            name!(rows_read, Option<i64>),
            name!(rows_before, Option<i64>),
            name!(last_synced_at, Option<TimestampWithTimeZone>),
            name!(kind, &'static str),
            name!(next_sync_at, Option<TimestampWithTimeZone>),
            name!(row_security, Option<&'static str>),
        ),
    >,
    ErrorReport,
> {
    let row = |row: SourceRow| {
        (
            row.knowledge_base,
            row.source_id,
            row.location,
            row.status,
            row.error_message,
            row.documents,
            row.rows_read,
            row.rows_before,
            row.last_synced_at,
            row.kind,
            row.next_sync_at,
            row.row_security,
        )
    };
    Ok(TableIterator::new(SourceRow::all()?.into_iter().map(row)))
}
