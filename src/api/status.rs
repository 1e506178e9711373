//! The functions behind the views kb_rag.status and kb_rag.current_version.

use kb_rag_core::pgvector;
use kb_rag_core::version::{CHUNKER, CHUNKER_NAME, READERS};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::cluster::{self, of_base_or_all};
use crate::pipeline::{self, Status};
use crate::postgres::call::Call;
use crate::postgres::vector::Pgvector;
use crate::queue;

/// A row as 0.3 has it.
pub(super) type StatusRow = (
    String,
    String,
    String,
    i32,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<f64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Vec<String>,
    Option<String>,
    Option<String>,
    Option<Interval>,
    Option<String>,
    Option<f64>,
    Option<Interval>,
    Option<String>,
    Option<String>,
    Option<TimestampWithTimeZone>,
);

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn base_status_with_outdated(
    call: Call,
) -> Result<
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
            name!(outdated, Option<i64>),
            name!(outdated_files, Option<i64>),
            name!(pgvector, Option<String>),
            name!(node, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let rows = of_base_or_all(call, None, || {
        queue::wake_if_idle();
        let pgvector = Pgvector::version()?.map(|version| pgvector::describe(&version));
        let node = cluster::own_node()?;
        let row = |status: Status| {
            let counts = status.counts.as_ref();
            let outdated = counts.and_then(|counts| counts.outdated);
            let files = counts.and_then(|counts| counts.outdated_files);
            let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x) =
                StatusRow::from(status);
            let (pgvector, node) = (pgvector.clone(), node.clone());
            (
                a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, outdated, files,
                pgvector, node,
            )
        };
        Ok(pipeline::status()?.into_iter().map(row).collect())
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(sql = false)]
fn current_versions() -> TableIterator<'static, (name!(name, &'static str), name!(version, i32))> {
    TableIterator::new(READERS.into_iter().chain([(CHUNKER_NAME, CHUNKER)]))
}

impl From<Status> for StatusRow {
    fn from(status: Status) -> StatusRow {
        let Status { base, model_variant, model_kernel, counts, work, note, counted_at } = status;
        let counts = counts.as_ref();
        (
            base.name,
            base.schema,
            base.settings.space.model.to_string(),
            base.settings.space.dimensions,
            counts.map(|counts| counts.documents),
            counts.map(|counts| counts.pending),
            counts.map(|counts| counts.indexed),
            counts.map(|counts| counts.failed),
            counts.map(|counts| counts.chunks),
            counts.map(|counts| counts.embedded),
            counts.map(|counts| counts.coverage()),
            counts.and_then(|counts| counts.table_bytes),
            counts.and_then(|counts| counts.index_bytes),
            counts.and_then(|counts| counts.unmerged_segments),
            base.model_variants,
            model_variant.map(str::to_string),
            model_kernel.map(str::to_string),
            work.oldest_pending,
            work.paused,
            work.chunks_per_second,
            work.time_to_go,
            work.model_change,
            note,
            counted_at,
        )
    }
}
