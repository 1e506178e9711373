//! kb_refresh: cuts one document again, and has the page that it was made from fetched again.

use pgrx::Uuid;

use super::scope::{self, Purpose};
use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::ingest;
use crate::postgres::spi::{self, Access, Arg};
use crate::web;

/// Cuts the document again by the present settings of its base; chunks that come out the same keep id and vector. False if
/// there is no document that the caller may see and change.
pub fn refresh(id: Uuid, knowledge_base: Option<&str>) -> Result<bool> {
    let purpose = Purpose { access: Access::Write, verb: "written to", check: KnowledgeBase::require_update };
    scope::with_base_of(id, knowledge_base, &purpose, |base| match base {
        None => Ok(false),
        Some(base) => refresh_in(base, id),
    })
}

fn refresh_in(base: &KnowledgeBase, id: Uuid) -> Result<bool> {
    // As the caller, where row security decides which documents it may change.
    let sql = spi::render(include_str!("lock.sql"), &[("schema", &base.quoted_schema())]);
    let locked = base.write_documents(|| {
        spi::connect(|c| c.query_one(&sql, Access::Write, &[Arg::new(id)], |row| row.require::<Uuid>(1)))
    })?;
    if locked.is_none() {
        return Ok(false);
    }
    // Changes of the base end before the lock is granted: its settings may be other ones now.
    let base = base::by_id(base.id)?.ok_or_else(|| base.lost("row in the catalog"))?;
    if attach::has_vector_of_row(&base, id)? {
        Error::remark("the document has the vector of its row, and stays as it is")
            .hint("kb_reconcile compares the rows of attached tables with their documents.")
            .notify();
        return Ok(true);
    }
    ingest::refresh(&base, id)?;
    if !web::refresh(&base, id)? {
        remark_of_file(&base, id)?;
    }
    Ok(true)
}

/// Says that an earlier version of its reader read the file of the document: cutting it again does not bring back what it lost.
fn remark_of_file(base: &KnowledgeBase, id: Uuid) -> Result<()> {
    let sql = base.versions()?.render(include_str!("is_read_before.sql"), &base.quoted_schema());
    let found =
        base.connect(|c| c.query_one(&sql, Access::Write, &[Arg::new(id)], |row| row.require::<bool>(1)))?;
    if found == Some(true) {
        Error::remark("an earlier version of its reader read the file of the document")
            .hint("The file is not stored: kb-rag index and kb_add_file read it again.")
            .notify();
    }
    Ok(())
}
