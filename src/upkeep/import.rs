//! kb_import: rights and locks around it.

use crate::base;
use crate::error::Result;
use crate::ingest::{self, Columns};

/// Takes over passages and vectors of the table `source`, a qualified name; returns how many.
pub fn import(name: &str, source: &str, columns: &Columns) -> Result<i64> {
    let base = base::claim(name)?;
    ingest::import(&base, source, columns)
}
