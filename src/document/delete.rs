//! kb_delete: deletes one document.

use pgrx::{Uuid, pg_sys};

use super::scope::{self, Purpose};
use crate::attach;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Arg};

/// Deletes the document with its chunks. False where there is none that the caller may see and delete. 55000 for one that comes
/// from a row of an attached table: kb_reconcile would bring it back.
pub fn delete(id: Uuid, knowledge_base: Option<&str>) -> Result<bool> {
    let purpose = Purpose { access: Access::Write, verb: "written to", check: KnowledgeBase::require_delete };
    scope::with_base_of(id, knowledge_base, &purpose, |base| {
        let Some(base) = base else { return Ok(false) };
        if let Some(table) = followed_table(base, id)? {
            return Err(Error::not_ready(format!("document \"{id}\" comes from a row of table {table}"))
                .detail("The table is attached: kb_reconcile would bring the document back.")
                .hint(format!("Delete the row in {table}, or detach the table with kb_detach.")));
        }
        let sql = spi::render(include_str!("delete.sql"), &[("schema", &base.quoted_schema())]);
        let deleted = base.write_documents(|| spi::connect(|c| c.execute(&sql, &[Arg::new(id)])))?;
        Ok(deleted > 0)
    })
}

/// The attached table that the document comes from, qualified and quoted.
fn followed_table(base: &KnowledgeBase, id: Uuid) -> Result<Option<String>> {
    if !base.has_own_columns(c"document", &[(c"source_id", pg_sys::UUIDOID)]) {
        return Ok(None);
    }
    let sql = spi::render(include_str!("source_of.sql"), &[("schema", &base.quoted_schema())]);
    let source = base.read(|| {
        spi::connect(|c| c.query_one(&sql, Access::Write, &[Arg::new(id)], |row| row.get::<Uuid>(1)))
    })?;
    source.flatten().map_or(Ok(None), |source| attach::followed_table(base, source))
}
