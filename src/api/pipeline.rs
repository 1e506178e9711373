//! kb_retry, and the function behind the view kb_rag.failed.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::cluster::here_or_there;
use crate::pipeline;
use crate::postgres::call::Call;
use crate::queue;

#[pg_extern(volatile, parallel_unsafe)]
fn kb_retry(call: Call, knowledge_base: Option<&str>) -> Result<i64, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        pipeline::retry(required(knowledge_base, "knowledge_base")?)
    })?)
}

/// The function kb_rag.failures of SQL.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn failures() -> Result<
    TableIterator<
        'static,
        (
            name!(knowledge_base, String),
            name!(document_id, Option<Uuid>),
            name!(source_key, Option<String>),
            name!(reason, String),
            name!(attempts, i32),
            name!(next_try, Option<TimestampWithTimeZone>),
            name!(source_id, Option<Uuid>),
            name!(url, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let rows = pipeline::failed()?.into_iter().map(|failed| {
        let pipeline::Failed {
            knowledge_base,
            document,
            source_key,
            reason,
            attempts,
            next_try,
            source,
            url,
        } = failed;
        (knowledge_base, document, source_key, reason, attempts, next_try, source, url)
    });
    Ok(TableIterator::new(rows))
}
