//! The keyword index of a base: postings of its chunks, for BM25.
//!
//! It is a log-structured set of segments in two ordinary tables of the base's schema, so that MVCC, WAL, dumps and standbys
//! work as for any table. A statement that writes chunks only adds a segment (`collect`, `trigger`, `write`); one that
//! deletes or changes chunks adds a *negative* one, which lists what is gone. Segments are merged in tiers (`merge`), which
//! makes both sides disappear; `compact` returns the space that they leave. A search reads the blocks of its lexemes from every segment (`read`). The format and the
//! ranking are in `kb_rag_core::segment`; docs/internals.md tells how they work.
//!
//! Locks: every path locks `chunk` before these tables, and they are emptied by DELETE alone: under a kept snapshot a
//! truncated table has no rows.

mod collect;
mod compact;
mod fill;
mod format;
mod merge;
mod read;
mod repair;
mod size;
mod tables;
mod transition;
mod trigger;
mod visible;
mod write;

pub use collect::collecting;
pub use compact::{has_dead, is_sparse, move_last};
pub use fill::rebuild;
pub use format::refuse_newer;
pub use merge::{Merged, merge_once};
pub use read::{Postings, Segments};
pub use repair::{Repair, repair};
pub use size::Size;
pub use tables::Tables;
pub use visible::{visible_frequencies, visible_size};

use kb_rag_core::segment::Damaged;

use pgrx::{Uuid, pg_sys};

use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::lookup;

/// Where the keyword index of a base is.
#[derive(Clone)]
pub struct Place {
    /// The table whose chunks it has.
    pub chunk: pg_sys::Oid,
    /// The schema as an identifier.
    pub schema: String,
    /// None where the base is not known: then nothing is left to the workers.
    pub base: Option<Uuid>,
}

impl Place {
    pub fn for_base(base: &KnowledgeBase) -> Result<Place> {
        Ok(Place { chunk: base.table(c"chunk")?, schema: base.quoted_schema(), base: Some(base.id) })
    }
}

impl Place {
    /// The table `keyword_run`; None where it was dropped.
    fn run(&self) -> Option<pg_sys::Oid> {
        lookup::relation(lookup::relation_schema(self.chunk)?, c"keyword_run")
    }
}

impl From<Damaged> for Error {
    fn from(_: Damaged) -> Error {
        Error::damaged("the keyword index of a knowledge base is damaged")
            .hint("Rebuild it with kb_reindex, and check the storage of the server.")
    }
}
