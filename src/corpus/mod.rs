//! The statistics of a base for BM25: how many chunks it has, how long they are, and in how many chunks a
//! lexeme occurs.
//!
//! Number and length are exact. Every statement that writes chunks adds a row to `corpus` (`count`), so that writers do
//! not wait for each other. Common lexemes of a large base are counted again after a tenth of its chunks has been added or
//! deleted (`terms`); all others are counted by the index when a query asks. If row security applies to the caller, all are
//! counted among the chunks that it may see (`visible`).

mod count;
mod terms;
mod visible;

pub use terms::{frequencies, recount_terms, refresh_when_due as refresh};
pub use visible::{visible_frequencies, visible_size};

use crate::error::Result;
use crate::spi::{self, Access, Arg, Connection, Planning};

/// Number and length of the chunks of a base.
#[derive(Clone, Debug, Default)]
pub struct Size {
    pub chunks: i64,
    /// Of all chunks, in occurrences of lexemes.
    pub length: i64,
    /// How many chunks were ever added or deleted.
    changes: i64,
    /// Qualified names of the text search configurations in use.
    pub text_configs: Vec<String>,
}

/// Adds up the rows of `corpus`.
pub fn size(connection: &Connection, schema: &str, access: Access) -> Result<Size> {
    add_up(connection, &spi::render(include_str!("size.sql"), &[("schema", schema)]), access)
}

/// Adds up chunks, lengths and changes that a statement gives by text search configuration.
fn add_up(connection: &Connection, sql: &str, access: Access) -> Result<Size> {
    let parts = connection.query(sql, access, Planning::Generic, &[], |row| {
        let numbers = [row.require::<i64>(2)?, row.require::<i64>(3)?, row.require::<i64>(4)?];
        Ok((row.require::<String>(1)?, numbers))
    })?;
    let mut size = Size::default();
    for (text_config, [chunks, length, changes]) in parts {
        size.chunks = size.chunks.saturating_add(chunks);
        size.length = size.length.saturating_add(length);
        size.changes = size.changes.saturating_add(changes);
        if chunks > 0 {
            size.text_configs.push(text_config);
        }
    }
    Ok(size)
}

/// Corrects the sums of `corpus` so that they match the existing chunks; false if they were right. One statement, hence one
/// snapshot: concurrent writers add their own counts. Rows that counting cannot have written, but only the owner of the
/// base, are deleted first.
pub fn correct(connection: &Connection, schema: &str) -> Result<bool> {
    let execute =
        |sql: &str, args: &[Arg]| connection.execute(&spi::render(sql, &[("schema", schema)]), args);
    let impossible = execute(include_str!("delete_impossible.sql"), &[])?;
    let lacking = execute(include_str!("correct.sql"), &[])?;
    let changes = size(connection, schema, Access::Write)?.changes;
    let terms = execute(include_str!("delete_impossible_terms.sql"), &[Arg::new(changes)])?;
    if terms > 0 {
        recount_terms(connection, schema)?;
    }
    Ok(impossible + lacking + terms > 0)
}
