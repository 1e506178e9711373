//! Changing a base in place, bringing it in step again, and taking one over.
//!
//! All of it is one transaction: searches go on with what was there before until it commits. Writers to the base wait
//! for `configure` and `reindex`, not for `reconcile`.

mod adopt;
mod configure;
mod import;
mod reconcile;
mod reindex;
mod replace;
mod vectors;

pub use adopt::adopt;
pub use configure::configure;
pub use import::import;
pub use reconcile::reconcile;
pub use reindex::reindex;

use pgrx::Uuid;

use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::role;
use crate::snapshot;
use crate::spi::{self, Access, Arg};

/// The base of this name, for one who administers it, with its row of the catalogue locked against others who change or
/// drop it.
fn claim(name: &str) -> Result<KnowledgeBase> {
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
    let base = base::by_name(name, Access::Write)?;
    base.require_admin()?;
    base.complete()?;
    Ok(base)
}
