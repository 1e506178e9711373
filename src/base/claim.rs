//! Holding a base against others who change or drop it.

use pgrx::Uuid;

use super::{KnowledgeBase, by_name};
use crate::error::{Error, Result};
use crate::role;
use crate::snapshot;
use crate::spi::{self, Access, Arg};

/// The base of this name, for one who administers it, with its row of the catalogue locked against others who change or
/// drop it.
pub fn claim(name: &str) -> Result<KnowledgeBase> {
    let base = locked(name)?;
    base.require_admin()?;
    base.complete()?;
    Ok(base)
}

/// The same for anybody.
pub fn locked(name: &str) -> Result<KnowledgeBase> {
    if snapshot::is_kept() {
        // What others committed since would be left as it was, or lose its vectors.
        return Err(Error::keeps_snapshot(format!(
            "knowledge base \"{name}\" cannot be changed by a transaction that keeps an older snapshot"
        )));
    }
    role::as_catalogue_owner(|| {
        spi::connect(|c| {
            c.query_one(include_str!("claim.sql"), Access::Write, &[Arg::new(name)], |row| {
                row.require::<Uuid>(1)
            })
        })
    })?;
    by_name(name, Access::Write)
}
