//! Locking a base against changes and drops by other sessions.

use crate::base::{KnowledgeBase, by_name, unknown};
use crate::error::{Error, Result};
use crate::lock;
use crate::postgres::lookup;
use crate::postgres::snapshot;
use crate::postgres::spi::Access;

/// The base of this name, with its row of the catalog locked against changes and drops by other sessions. The caller must
/// administer it.
pub fn locked_for_admin(name: &str) -> Result<KnowledgeBase> {
    let base = locked(name)?;
    base.require_admin()?;
    Ok(base)
}

/// The base of this name, with its row locked against every change, for changes that do not depend on documents: a
/// transaction that keeps an older snapshot may make them. Only administrators lock the row.
pub(in crate::base) fn held_for_admin(name: &str) -> Result<KnowledgeBase> {
    by_name(name, Access::Write)?.require_admin()?;
    let held = lock::row_for_update(name)?;
    held.ok_or_else(|| unknown(name))?;
    lookup::accept_changes();
    let base = by_name(name, Access::Write)?;
    base.require_admin()?;
    Ok(base)
}

/// As [`locked_for_admin`], for any caller.
pub fn locked(name: &str) -> Result<KnowledgeBase> {
    if snapshot::is_kept() {
        // Documents that others committed since would not be seen: they would stay as they were, or lose their vectors.
        return Err(Error::keeps_snapshot(format!(
            "knowledge base \"{name}\" cannot be changed by a transaction that keeps an older snapshot"
        )));
    }
    lock::row_for_no_key_update(name)?;
    lookup::accept_changes();
    by_name(name, Access::Write)
}
