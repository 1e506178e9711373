//! kb_rag.part_statistics, kb_rag.part_candidates, kb_rag.part_rows, kb_rag.part_hints, kb_rag.part_documents and kb_rag.part_tools: what a
//! node asks others for a search, a list or tools over several. Declared in sql/internal.sql.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::agent;
use crate::document;
use crate::postgres::jsonb::Jsonb;
use crate::queue;
use crate::search::part;

#[pg_extern(sql = false)]
fn part_statistics(request: Option<Jsonb>) -> Result<Jsonb, ErrorReport> {
    queue::wake_if_idle();
    Ok(part::answer(&required(request, "request")?, part::statistics)?)
}

#[pg_extern(sql = false)]
fn part_candidates(request: Option<Jsonb>) -> Result<Jsonb, ErrorReport> {
    Ok(part::answer(&required(request, "request")?, part::candidates)?)
}

#[pg_extern(sql = false)]
fn part_rows(request: Option<Jsonb>) -> Result<Jsonb, ErrorReport> {
    Ok(part::answer(&required(request, "request")?, part::rows)?)
}

#[pg_extern(sql = false)]
fn part_hints(request: Option<Jsonb>) -> Result<Jsonb, ErrorReport> {
    Ok(part::answer(&required(request, "request")?, part::hints)?)
}

#[pg_extern(sql = false)]
fn part_documents(request: Option<Jsonb>) -> Result<Jsonb, ErrorReport> {
    queue::wake_if_idle();
    Ok(part::answer(&required(request, "request")?, document::part)?)
}

#[pg_extern(sql = false)]
fn part_tools(request: Option<Jsonb>) -> Result<Jsonb, ErrorReport> {
    queue::wake_if_idle();
    Ok(part::answer(&required(request, "request")?, agent::part)?)
}
