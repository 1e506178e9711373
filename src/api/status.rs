//! The function behind the view kb_rag.status.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::model::{self, Model};
use crate::pipeline;
use crate::queue;
use crate::spi::{self, Access};

/// Documents by status, chunks, vectors and sizes of one base.
struct Counts {
    documents: i64,
    pending: i64,
    processing: i64,
    indexed: i64,
    failed: i64,
    chunks: i64,
    embedded: i64,
    table_bytes: Option<i64>,
    index_bytes: Option<i64>,
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
            name!(documents, i64),
            name!(pending, i64),
            name!(processing, i64),
            name!(indexed, i64),
            name!(failed, i64),
            name!(chunks, i64),
            name!(embedded, i64),
            name!(coverage, f64),
            name!(table_bytes, Option<i64>),
            name!(index_bytes, Option<i64>),
            name!(model_variants, Vec<String>),
            name!(variant_in_use, Option<&'static str>),
            name!(kernel, Option<&'static str>),
            name!(oldest_pending, Option<Interval>),
            name!(paused, Option<String>),
            name!(chunks_per_second, Option<f64>),
            name!(time_to_go, Option<Interval>),
            name!(model_change, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let status_of = |bases: Vec<base::KnowledgeBase>| {
        let pauses = queue::pauses()?;
        bases
            .into_iter()
            .map(|base| {
                let c = base.read(|| count(&base))?;
                let pipeline = pipeline::status(&base, c.chunks, c.embedded, &pauses)?;
                // Without its model a base still has a status.
                let model = model::for_texts(&base.settings.model).ok();
                let coverage =
                    if c.chunks == 0 { 100.0 } else { 100.0 * c.embedded as f64 / c.chunks as f64 };
                Ok((
                    base.name,
                    base.schema,
                    base.settings.model,
                    base.settings.dimensions,
                    c.documents,
                    c.pending,
                    c.processing,
                    c.indexed,
                    c.failed,
                    c.chunks,
                    c.embedded,
                    coverage,
                    c.table_bytes,
                    c.index_bytes,
                    base.model_variants,
                    model.as_ref().and_then(Model::variant),
                    model.as_ref().and_then(Model::kernel),
                    pipeline.oldest_pending,
                    pipeline.paused,
                    pipeline.chunks_per_second,
                    pipeline.time_to_go,
                    pipeline.model_change,
                ))
            })
            .collect::<Result<Vec<_>>>()
    };
    Ok(TableIterator::new(base::pinned(base::searchable, status_of)?))
}

fn count(base: &KnowledgeBase) -> Result<Counts> {
    let schema = base.quoted_schema();
    let secured = base.is_row_secured()?;
    let of_document = spi::render(include_str!("status_chunk_visible.sql").trim(), &[("schema", &schema)]);
    let of_chunk = spi::render(include_str!("status_embedding_visible.sql").trim(), &[("schema", &schema)]);
    let sql = spi::render(
        include_str!("status.sql"),
        &[
            ("chunk_visible", if secured { &of_document } else { "true" }),
            ("embedding_visible", if secured { &of_chunk } else { "true" }),
            ("whole", if secured { "false" } else { "true" }),
            ("schema_name", &spi::quote_literal(&schema)),
            ("schema", &schema),
        ],
    );
    spi::connect(|c| {
        c.query_one(&sql, Access::Read, &[], |row| {
            Ok(Counts {
                documents: row.require(1)?,
                pending: row.require(2)?,
                processing: row.require(3)?,
                indexed: row.require(4)?,
                failed: row.require(5)?,
                chunks: row.require(6)?,
                embedded: row.require(7)?,
                table_bytes: row.get(8)?,
                index_bytes: row.get(9)?,
            })
        })
    })?
    .ok_or_else(|| Error::internal("no row from an aggregate"))
}
