//! Locks of the row that a base has in the catalog.

use pgrx::Uuid;

use crate::catalog;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg};

/// Locks the row of the base of this name against changes and drops by other sessions, until the end of the transaction.
/// Returns the base's id; None if there is none of the name.
pub fn row_for_no_key_update(name: &str) -> Result<Option<Uuid>> {
    lock(include_str!("row_for_no_key_update.sql"), name)
}

/// The same against every lock of others. Only administrators of the base may do this.
pub fn row_for_update(name: &str) -> Result<Option<Uuid>> {
    lock(include_str!("row_for_update.sql"), name)
}

fn lock(sql: &str, name: &str) -> Result<Option<Uuid>> {
    catalog::connect(|c| c.query_one(sql, Access::Write, &[Arg::new(name)], |row| row.require::<Uuid>(1)))
}
