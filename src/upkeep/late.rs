//! Documents that are written while the chunks of a change of the model are inserted. The change is tried again, when their vectors are
//! made. In a base that is written all the time there are always some: after a few tries the last ones are cut again under the lock, and
//! workers make their new vectors right after the change.

use std::cell::Cell;

use pgrx::Uuid;

use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::snapshot;
use crate::queue::{self, Kind};

/// How often a change is tried again by a process until it takes place with late documents.
const MAX_TRIES: u32 = 2;
/// The most documents that are cut again while everybody is locked out.
const MAX_LATE: usize = 256;

thread_local! {
    /// The change that found late documents last, and how often.
    static TRIES: Cell<Option<(Uuid, u32)>> = const { Cell::new(None) };
}

/// The documents that were written since the chunks were inserted: writers have queued them. 55P03 to try the change again. Everybody is
/// locked out.
pub fn documents(base: &KnowledgeBase) -> Result<Vec<Uuid>> {
    let late = snapshot::with_latest(|| queue::pending(base.id, Kind::Change))?;
    let tries = TRIES.take().filter(|(id, _)| *id == base.id).map_or(0, |(_, tries)| tries);
    if late.is_empty() || tries >= MAX_TRIES && late.len() <= MAX_LATE {
        return Ok(late);
    }
    TRIES.set(Some((base.id, tries + 1)));
    Err(Error::locked(format!(
        "documents of knowledge base \"{}\" were written while its chunks were being replaced",
        base.name
    )))
}
