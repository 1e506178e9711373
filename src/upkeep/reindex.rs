//! kb_reindex: rebuilds everything that searches use from the stored texts and vectors.

use std::time::Instant;

use super::configure::save;
use super::replace::Replacement;
use crate::base::{self, Lexemes};
use crate::error::Result;
use crate::ingest;
use crate::keyword_index::{self, Place};
use crate::lock::{self, Lockable, Patience};
use crate::queue::{self, Kind};

/// Rebuilds lexemes and indexes of a base, as after a change of a dictionary. Texts are not chunked or embedded
/// again. The lexemes get the latest format.
pub fn reindex(name: &str) -> Result<()> {
    lock::retrying(|is_short| reindex_once(name, is_short))
}

fn reindex_once(name: &str, is_short: bool) -> Result<()> {
    let mut base = base::locked_for_admin(name)?;
    base.settings.lexemes.format = Lexemes::latest_format();
    let schema = base.quoted_schema();
    base.lock_out_writers(is_short)?;
    let began = Instant::now();
    base.connect(|c| {
        // Before anything merges such segments.
        keyword_index::refuse_newer(c, &schema)?;
        let place = Place::for_base(&base)?;
        keyword_index::collecting(&place, || ingest::refresh_lexemes(c, &base, &schema, "true"))?;
        keyword_index::rebuild(c, &place)?;
        let mut replacement = Replacement::default();
        replacement.metadata_index(c, &schema)?;
        replacement.vector_index(c, &base)?;
        replacement.take_place(c, &base, &[], Patience::for_work_since(began))
    })?;
    // What a worker would have built.
    for kind in [Kind::Index, Kind::Lexemes] {
        queue::forget(base.id, kind)?;
        queue::resume(base.id, kind)?;
    }
    save(&base)
}
