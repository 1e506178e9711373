//! The table `summary` of a base: which abstracts and overviews a chat model made. A base has it once kb_configure was given a chat
//! model for them.

use pgrx::pg_sys;

use super::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// Columns of `document` and `summary` that are read and written for it.
const OF_DOCUMENT: [(&std::ffi::CStr, pg_sys::Oid); 3] =
    [(c"abstract", pg_sys::TEXTOID), (c"overview", pg_sys::TEXTOID), (c"content_hash", pg_sys::BYTEAOID)];
const OF_SUMMARY: [(&std::ffi::CStr, pg_sys::Oid); 5] = [
    (c"document_id", pg_sys::UUIDOID),
    (c"model", pg_sys::TEXTOID),
    (c"content_hash", pg_sys::BYTEAOID),
    (c"abstract_hash", pg_sys::BYTEAOID),
    (c"overview_hash", pg_sys::BYTEAOID),
];

impl KnowledgeBase {
    /// Whether it has the table, and its documents have the columns that a chat model fills.
    pub fn has_summaries(&self) -> bool {
        self.has_own_columns(c"summary", &OF_SUMMARY) && self.has_own_columns(c"document", &OF_DOCUMENT)
    }

    /// Creates the table as the owner, if it is missing; writers must be locked out. 42710 beside a relation of somebody else with
    /// its name, 42804 if a column of documents was dropped or altered.
    pub fn create_summaries(&self) -> Result<()> {
        if self.has_summaries() {
            return Ok(());
        }
        if !self.has_own_columns(c"document", &OF_DOCUMENT) {
            return Err(Error::wrong_type(
                "column \"abstract\" or \"overview\" of table document is missing or altered",
            )
            .hint("Restore the columns that kb_create made."));
        }
        if self.has_relation(c"summary") {
            return Err(Error::exists(format!(
                "relation \"summary\" already exists in schema \"{}\" and is not kb_rag's",
                self.schema
            ))
            .hint("Rename it, or move it to another schema."));
        }
        guc::with_settings(&[(c"client_min_messages", c"warning")], || {
            self.connect(|c| create(c, &self.quoted_schema()))
        })
    }
}

/// Creates the table for the readers of `document`, and for nobody else whom default privileges name.
fn create(c: &Connection, schema: &str) -> Result<()> {
    c.run(&spi::render(include_str!("summary/table.sql"), &[("schema", schema)]))?;
    let table = [Arg::new(format!("{schema}.summary"))];
    let grantees =
        c.query(include_str!("summary/grantees.sql"), Access::Write, Planning::Auto, &table, |row| {
            row.require::<String>(1)
        })?;
    for role in grantees {
        c.run(&spi::render(include_str!("summary/revoke.sql"), &[("schema", schema), ("role", &role)]))?;
    }
    let document = [Arg::new(format!("{schema}.document"))];
    let readers =
        c.query(include_str!("summary/readers.sql"), Access::Write, Planning::Auto, &document, |row| {
            Ok((row.require::<String>(1)?, row.require::<bool>(2)?))
        })?;
    for (role, may_empty) in readers {
        // TRUNCATE … CASCADE of a document needs the privilege on each table.
        let privileges = if may_empty { "SELECT, TRUNCATE" } else { "SELECT" };
        let values = [("schema", schema), ("role", &role), ("privileges", privileges)];
        c.run(&spi::render(include_str!("summary/grant.sql"), &values))?;
    }
    Ok(())
}
