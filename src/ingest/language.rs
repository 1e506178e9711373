//! The warning about a language without a text search configuration: its documents are indexed with that of the base.

use std::cell::Cell;

use kb_rag_core::language;
use pgrx::pg_sys;

use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::lookup;
use crate::postgres::spi::{Access, Arg};
use crate::postgres::transaction;
use crate::postgres::tsvector;

thread_local! {
    /// The last warning: for which statement of the client, and which table it wrote.
    static WARNED: Cell<Option<(pg_sys::TimestampTz, pg_sys::Oid)>> = const { Cell::new(None) };
}

/// Whether texts in a language have a text search configuration, or need none.
pub fn is_known(language: &str) -> bool {
    language::is_unspaced(language) || tsvector::config_of_language(language).is_some()
}

/// Warns, once per statement and table, if a document of the table `document` has a language without a text search
/// configuration. `text_config` is the qualified name of the one that is used instead; None where the base is unknown.
pub fn check(
    language: &str,
    document: pg_sys::Oid,
    text_config: impl FnOnce() -> Result<Option<String>>,
) -> Result<()> {
    if language.trim().is_empty() || is_known(language) {
        return Ok(());
    }
    let statement = (transaction::statement_began_at(), document);
    if WARNED.get() == Some(statement) {
        return Ok(());
    }
    let Some(text_config) = text_config()? else { return Ok(()) };
    WARNED.set(Some(statement));
    let name = text_config.strip_prefix("pg_catalog.").unwrap_or(&text_config);
    Error::not_found(format!("language \"{language}\" has no text search configuration"))
        .hint(
            "Give an ISO 639-1 code or the name of a language, such as de, German or Deutsch; \\dF in psql lists the \
             configurations.",
        )
        .warn(&format!("the one of the knowledge base ({name}) is used"));
    Ok(())
}

/// The text search configuration of the base in a schema.
pub fn text_config_of(namespace: pg_sys::Oid) -> Result<Option<String>> {
    let schema = lookup::schema_name(namespace)?;
    catalog::connect(|c| {
        let args = [Arg::new(schema.as_str())];
        c.query_one(include_str!("text_config_of.sql"), Access::Read, &args, |row| row.require(1))
    })
}

/// Whether the language that a file declares is that of its text. Programs declare English without being told to.
pub fn is_trusted(declared: &str) -> bool {
    is_known(declared) && language::text_config(declared) != Some("english")
}
