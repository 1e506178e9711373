//! The function behind the view kb_rag.status.

use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::base::{self, Covered, Extent, KnowledgeBase, Reach, Unnamed};
use crate::error::Result;
use crate::model::{self, Model};
use crate::pipeline::{self, Statistics};
use crate::queue::{self, Pause};

/// What is shown about the tables of a base.
struct Shown {
    statistics: Option<Statistics>,
    /// Why the statistics are not the current ones.
    note: Option<&'static str>,
    counted_at: Option<TimestampWithTimeZone>,
}

type StatusRow = (
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
    Vec<String>,
    Option<&'static str>,
    Option<&'static str>,
    Option<Interval>,
    Option<String>,
    Option<f64>,
    Option<Interval>,
    Option<String>,
    Option<&'static str>,
    Option<TimestampWithTimeZone>,
);

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
            name!(model_variants, Vec<String>),
            name!(variant_in_use, Option<&'static str>),
            name!(kernel, Option<&'static str>),
            name!(oldest_pending, Option<Interval>),
            name!(paused, Option<String>),
            name!(chunks_per_second, Option<f64>),
            name!(time_to_go, Option<Interval>),
            name!(model_change, Option<String>),
            name!(note, Option<&'static str>),
            name!(counted_at, Option<TimestampWithTimeZone>),
        ),
    >,
    ErrorReport,
> {
    queue::wake_if_idle();
    Ok(TableIterator::new(base::unnamed(Extent::Whole, |_| Ok(()), status_of)?))
}

fn status_of(found: Unnamed) -> Result<Vec<StatusRow>> {
    found.warn();
    for base in found.of(Reach::Locked) {
        pgrx::warning!(
            "knowledge base \"{}\" is not counted: another transaction holds a lock on its tables",
            base.name
        );
    }
    let pauses = queue::pauses()?;
    let mut kept = pipeline::kept(found.of(Reach::Outside).chain(found.of(Reach::Locked)))?;
    pipeline::request(found.of(Reach::Outside), &kept, &pauses);
    found
        .covered
        .into_iter()
        .map(|Covered { base, reach }| {
            let shown = match reach {
                Reach::Open => Shown::counted_now(&base)?,
                Reach::Locked => Shown::kept(&base, kept.remove(&base.id), LOCKED)?,
                Reach::Outside => Shown::kept(&base, kept.remove(&base.id), KEPT)?,
            };
            // A provider may repeat in its response the text that was sent.
            let told = if base.is_row_secured()? { without_reasons(&pauses) } else { pauses.clone() };
            row(base, shown, &told)
        })
        .collect()
}

/// Pauses without their reasons, for a caller from whom row security hides documents.
fn without_reasons(pauses: &[Pause]) -> Vec<Pause> {
    let reason = "the reason is hidden by row security";
    pauses.iter().map(|pause| Pause { reason: reason.to_string(), ..pause.clone() }).collect()
}

const LOCKED: &str = "locked by another transaction";
const KEPT: &str = "statistics kept by workers";
const HIDDEN: &str = "hidden by row security";

impl Shown {
    fn counted_now(base: &KnowledgeBase) -> Result<Shown> {
        // SAFETY: the statement in progress.
        let now = unsafe { pg_sys::GetCurrentStatementStartTimestamp() };
        Ok(Shown {
            statistics: Some(pipeline::count(base)?),
            note: None,
            counted_at: TimestampWithTimeZone::try_from(now).ok(),
        })
    }

    /// Stored statistics count all rows, even those that policies hide from the caller.
    fn kept(base: &KnowledgeBase, kept: Option<pipeline::Kept>, why: &'static str) -> Result<Shown> {
        if base.is_row_secured()? {
            return Ok(Shown { statistics: None, note: Some(HIDDEN), counted_at: None });
        }
        let (statistics, counted_at) = kept.and_then(|kept| kept.counted).unzip();
        Ok(Shown { statistics, note: Some(why), counted_at })
    }
}

fn row(base: KnowledgeBase, shown: Shown, pauses: &[Pause]) -> Result<StatusRow> {
    let pipeline = pipeline::status(&base, shown.statistics.as_ref(), pauses)?;
    // A base without its model still has a status.
    let model = model::for_texts(&base.settings.space.model).ok();
    let counts = shown.statistics.map(|statistics| statistics.counts);
    let counts = counts.as_ref();
    Ok((
        base.name,
        base.schema,
        base.settings.space.model.to_string(),
        base.settings.space.dimensions,
        counts.map(|c| c.documents),
        counts.map(|c| c.pending),
        counts.map(|c| c.indexed),
        counts.map(|c| c.failed),
        counts.map(|c| c.chunks),
        counts.map(|c| c.embedded),
        counts.map(|c| c.coverage()),
        counts.and_then(|c| c.table_bytes),
        counts.and_then(|c| c.index_bytes),
        base.model_variants,
        model.as_ref().and_then(Model::variant),
        model.as_ref().and_then(Model::kernel),
        pipeline.oldest_pending,
        pipeline.paused,
        pipeline.chunks_per_second,
        pipeline.time_to_go,
        pipeline.model_change,
        shown.note,
        shown.counted_at,
    ))
}
