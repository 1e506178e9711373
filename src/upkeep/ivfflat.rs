//! Building indexes of a base in the background: IVFFlat, and that of chunks by their place in tables of kb_rag 0.3.

use std::time::Duration;

use pgrx::Uuid;

use super::replace::Replacement;
use crate::base::{self, IndexKind, KnowledgeBase};
use crate::error::Result;
use crate::lock::{Lockable, Patience};

/// How long to wait until nobody uses the base, to replace an index by one that is built.
const SWAP: Duration = Duration::from_secs(1);

/// What is left to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Done,
    /// Another step, in a transaction of its own.
    Another,
}

/// Does the next step, in a transaction that must hold no lock on the base. While an index is built, those who write vectors
/// wait, and searches go on; they are locked out for the moment in which it takes the place of an old one. That is another
/// transaction: while it waited for that moment, writers would wait too, and if it waited in vain, the index would be lost.
/// 55P03 if others keep the tables longer than lock_timeout.
pub fn build(base: Uuid) -> Result<Progress> {
    if let Some(base) = base::by_id(base)?.filter(KnowledgeBase::has_schema)
        && base.advance_ordinal_index()?
    {
        // Bases of kb_rag 0.3 have no comment with their settings yet.
        base.store_settings()?;
        return Ok(Progress::Another);
    }
    let Some(before) = base_with_ivfflat(base)? else { return Ok(Progress::Done) };
    if before.has_relation(base::IVFFLAT_NEXT) {
        return take_place(&before);
    }
    if !before.is_index_due()? {
        return Ok(Progress::Done);
    }
    if !before.is_enough_for_ivfflat(c"embedding")? {
        return take_place(&before);
    }
    before.lock_out_embedding()?;
    // Who had the lock before may have changed settings or indexes.
    let Some(base) = base_with_ivfflat(base)? else { return Ok(Progress::Done) };
    if base.has_relation(base::IVFFLAT_NEXT) || !base.is_index_due()? {
        return Ok(Progress::Another);
    }
    let is_first = !base.has_relation(base::IVFFLAT);
    let (schema, suffix) = (base.quoted_schema(), if is_first { "" } else { "_next" });
    let built =
        base.connect(|c| base::create_vector_index(c, &schema, &base.settings, "embedding", suffix))?;
    Ok(if is_first || built.is_none() { Progress::Done } else { Progress::Another })
}

/// The base, if it still is to have an IVFFlat index.
fn base_with_ivfflat(base: Uuid) -> Result<Option<KnowledgeBase>> {
    let base = base::by_id(base)?.filter(KnowledgeBase::has_schema);
    Ok(base.filter(|base| base.settings.index_kind() == Some(IndexKind::IvfFlat)))
}

/// Drops the old index; one that is built beside it takes its place.
fn take_place(base: &KnowledgeBase) -> Result<Progress> {
    base.connect(|c| {
        let mut replacement = Replacement::default();
        replacement.ivfflat(base);
        replacement.take_place(c, base, &[], Patience::from_duration(SWAP))
    })?;
    Ok(Progress::Done)
}
