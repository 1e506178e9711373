//! The column `upsert_key` of `document`: a unique key that ORMs can name in ON CONFLICT, which take no WHERE there. A base has it
//! once kb_configure is asked for it. It takes the place of the partial unique index, because two unique indexes let concurrent
//! upserts of one new key fail.

use pgrx::pg_sys;

use super::KnowledgeBase;
use crate::error::Result;
use crate::lock::{Lockable, MOMENT, Patience};
use crate::postgres::relation;
use crate::postgres::spi;

impl KnowledgeBase {
    /// Whether documents have the column.
    pub fn has_upsert_key(&self) -> bool {
        self.has_relation(c"document_upsert_key")
    }

    /// The unique key of documents that have a `source_key`, to stand after ON CONFLICT. Locks the table as the statement is about
    /// to: kb_configure cannot exchange the key before that.
    pub fn conflict_target(&self) -> Result<&'static str> {
        relation::lock(self.table(c"document")?, pg_sys::RowExclusiveLock);
        Ok(if self.has_upsert_key() {
            "(upsert_key)"
        } else {
            "(source_id, source_type, source_key) WHERE source_key IS NOT NULL"
        })
    }

    /// Adds the column, or drops it. Everybody waits while documents are rewritten. 42701 beside a column of this name of somebody
    /// else, 2BP01 if a view of somebody else reads it.
    pub fn set_upsert_key(&self, is_wanted: bool) -> Result<()> {
        if self.has_upsert_key() == is_wanted {
            return Ok(());
        }
        self.lock_out_all(&[], Patience::from_duration(MOMENT))?;
        let template =
            if is_wanted { include_str!("upsert_key/add.sql") } else { include_str!("upsert_key/drop.sql") };
        self.connect(|c| c.run(&spi::render(template, &[("schema", &self.quoted_schema())])))
    }
}
