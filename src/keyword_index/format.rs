//! The format of segments, when it is not that of this library.

use super::write::FORMAT;
use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Arg, Connection};

/// 55000 for a segment in this format, which is not [`FORMAT`].
pub fn unknown(format: i16) -> Error {
    let error = Error::not_ready(format!("the keyword index has the unknown format {format}"));
    if format > FORMAT {
        error.hint(
            "A newer version of kb_rag wrote it: reconnect if kb_rag was updated meanwhile, otherwise update it.",
        )
    } else {
        error.hint("Rebuild it with kb_reconcile or kb_reindex.")
    }
}

/// Whether all segments are in the format of this library. 55000 where a newer one wrote some: nothing of it is lost by an
/// older one, such as that of a session from before an update.
pub fn is_known(c: &Connection, schema: &str, access: Access) -> Result<bool> {
    let sql = spi::render(include_str!("other_format.sql"), &[("schema", schema)]);
    match c.query_one(&sql, access, &[Arg::new(FORMAT)], |row| row.get::<i16>(1))? {
        None => Ok(true),
        Some(Some(format)) if format > FORMAT => Err(unknown(format)),
        Some(_) => Ok(false),
    }
}

/// 55000 where a newer library wrote segments, for those that replace all of them.
pub fn refuse_newer(c: &Connection, schema: &str) -> Result<()> {
    is_known(c, schema, Access::Latest).map(drop)
}
