//! kb_import: the check of privileges, and the locks.

use crate::base;
use crate::error::Result;
use crate::ingest::{self, Columns};

/// Imports chunks and vectors from the table `source`, a qualified name; returns how many.
pub fn import(name: &str, source: &str, columns: &Columns) -> Result<i64> {
    let base = base::locked_for_admin(name)?;
    ingest::import(&base, source, columns)
}
