//! C symbols that install scripts before 0.3 name for functions whose arguments or columns have changed since. They must stay, so
//! that `pg_upgrade` can upgrade a database with such a catalog, and only report the version. tests/cluster/tests/symbols.rs
//! compares the others.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::catalogue::format;
use crate::error::{Error, Result};

/// 55000: catalogs of these versions have another format.
fn refuse() -> Result<Option<Uuid>, ErrorReport> {
    format::check()?;
    Err(Error::internal("a symbol of kb_rag 0.2 was called").into())
}

#[pg_extern(sql = false)]
fn attached_status() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn base_status() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn failed_jobs() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn kb_add() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn kb_attach() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn kb_attach_agent() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn kb_configure() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn kb_create() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn kb_hybrid_search() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn kb_list() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn kb_search() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}

#[pg_extern(sql = false)]
fn match_knowledge_chunks() -> Result<Option<Uuid>, ErrorReport> {
    refuse()
}
