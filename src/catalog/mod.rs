//! kb_rag's own catalog: the tables in the schema kb_rag. They are read and written with the privileges of their
//! owner, and only while library and SQL have the same format.

pub mod format;
pub mod missed;

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::spi::{self, Connection};
use crate::postgres::{lookup, role};

/// Runs `work` with a connection that has the privileges of the extension's owner: only for reading and writing the
/// catalog. 55000 when the catalog is missing, or of another format than the library.
pub fn connect<T>(work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    as_owner(|| spi::connect(work))
}

/// The same for `work` that needs more than one connection.
pub fn as_owner<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let owner = owner()?;
    format::check()?;
    role::switch_to(owner, work)
}

/// The owner of the catalog. 55000 when it is missing.
pub fn owner() -> Result<pg_sys::Oid> {
    let table = table(c"knowledge_base").ok_or_else(|| {
        Error::not_ready("the catalog of kb_rag is missing")
            .hint("Run CREATE EXTENSION kb_rag in this database.")
    })?;
    lookup::table_owner(table)
}

/// Whether the catalog has a table: that of an older version, which has the same format, may lack it.
pub fn has_table(name: &std::ffi::CStr) -> bool {
    table(name).is_some()
}

/// The same for a column.
pub fn has_column(name: &std::ffi::CStr, column: &std::ffi::CStr) -> bool {
    table(name).is_some_and(|table| lookup::column(table, column).is_some())
}

/// The placeholder `{summaries}` of a statement: that column of `kb_rag.knowledge_base` `k`, which the catalog of kb_rag 0.3 lacks.
pub fn with_summaries(template: &str) -> String {
    let is_there = has_column(c"knowledge_base", c"summaries");
    spi::render(template, &[("summaries", if is_there { "k.summaries" } else { "NULL::text" })])
}

/// A table in the schema of the catalog.
pub fn table(name: &std::ffi::CStr) -> Option<pg_sys::Oid> {
    lookup::schema(c"kb_rag").and_then(|schema| lookup::relation(schema, name))
}
