//! kb_source_drop, and the end of sources whose base or agent ends.

use pgrx::Uuid;

use super::access;
use super::other;
use super::source::Source;
use crate::base::{self, KnowledgeBase};
use crate::catalog;
use crate::error::{Error, Result};
use crate::ingest;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg};

/// Removes a source with its documents, chunks and jobs. Its documents are deleted with the privileges of the caller, as far as
/// row security lets it; 42501 where it hides some of them. 42704 for one that does not exist, or whose base the caller may not
/// read.
pub fn drop_source(id: Uuid) -> Result<()> {
    let unknown = || other::unknown(id);
    let source = Source::lock(id)?.ok_or_else(unknown)?;
    let base = base::by_id(source.base)?.filter(KnowledgeBase::has_schema).ok_or_else(unknown)?;
    base.require_read().map_err(|_| unknown())?;
    base::naming_base(&base.name, "written to", || {
        ingest::require_writer(&base, role::current_role())?;
        base.require_delete()?;
        if !access::is_own(&source, &base)? {
            return Err(unknown());
        }
        delete(&base, &source)
    })
}

/// Deletes a source. The row of the table `source` takes its documents along.
fn delete(base: &KnowledgeBase, source: &Source) -> Result<()> {
    let own = spi::render(include_str!("delete_of_source.sql"), &[("schema", &base.quoted_schema())]);
    if base.is_row_secured()? {
        base.write_documents(|| spi::connect(|c| c.execute(&own, &[Arg::new(source.id)])))?;
        let left = spi::render(include_str!("has_documents.sql"), &[("schema", &base.quoted_schema())]);
        let left = base.connect(|c| {
            c.query_one(&left, Access::Write, &[Arg::new(source.id)], |row| row.require::<bool>(1))
        })?;
        if left == Some(true) {
            return Err(Error::denied("row security hides documents of the source")
                .hint("A role that may delete all of them can drop it."));
        }
    }
    let row = spi::render(include_str!("delete_row.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| c.execute(&row, &[Arg::new(source.id)]))?;
    forget(source)
}

/// Forgets a source whose row was deleted from the table `source`, and with it its documents.
pub fn forget(source: &Source) -> Result<()> {
    let args = || [Arg::new(source.base), Arg::new(source.id)];
    catalog::connect(|c| {
        c.execute(include_str!("forget_jobs.sql"), &args())?;
        c.execute(include_str!("forget_source.sql"), &args())
    })?;
    Ok(())
}

/// Removes the sources of an agent, in the bases to which the caller may write; returns how many documents went with them.
pub fn drop_of_agent(agent: Uuid) -> Result<i64> {
    let mut deleted = 0;
    for source in Source::of_agent(agent)? {
        let Some(base) = base::by_id(source.base)?.filter(KnowledgeBase::has_schema) else {
            forget(&source)?;
            continue;
        };
        let may_write = base.require_read().is_ok() && base.is_in_circle()? && base.require_delete().is_ok();
        let is_writer = ingest::require_writer(&base, role::current_role()).is_ok();
        if !may_write || !is_writer || !access::is_own(&source, &base)? {
            continue;
        }
        deleted += base::naming_base(&base.name, "written to", || {
            let sql = spi::render(include_str!("count_of_source.sql"), &[("schema", &base.quoted_schema())]);
            let documents = base.connect(|c| {
                c.query_one(&sql, Access::Write, &[Arg::new(source.id)], |row| row.require::<i64>(1))
            })?;
            delete(&base, &source)?;
            Ok(documents.unwrap_or(0))
        })?;
    }
    Ok(deleted)
}
