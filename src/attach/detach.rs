//! kb_detach: removes the triggers and, if asked, the documents.

use pgrx::{Uuid, pg_sys};

use super::follow;
use super::overview::Source;
use super::write;
use crate::base::{self, KnowledgeBase};
use crate::catalog;
use crate::error::{Error, Result};
use crate::lock::{LockMode, Lockable, TableLock};
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::trigger::qualified_name;

/// Detaches a table, for administrators of the base and the owner of the table. The documents stay unless they are to be
/// deleted; if the table is attached again, it takes them over.
pub fn detach(table: pg_sys::Oid, knowledge_base: &str, delete_documents: bool) -> Result<()> {
    let base = base::locked(knowledge_base)?;
    let sources = Source::for_base(&base, Access::Write)?;
    let attached: Vec<Uuid> =
        sources.iter().filter(|s| s.table == Some(table)).map(|s| s.source_id).collect();
    if base.require_admin().is_err() && !is_owned(table)? {
        return Err(Error::denied(format!(
            "must be owner of table {} or an administrator of knowledge base \"{knowledge_base}\"",
            qualified_name(table)
        )));
    }
    if attached.is_empty() {
        let hint = match detached(&base, table)? {
            Some(id) => format!(
                "Its documents were kept. To delete them, run DELETE FROM {}.source WHERE id = '{id}'.",
                base.quoted_schema()
            ),
            None => "kb_rag.source_status lists the attached tables.".to_string(),
        };
        return Err(Error::not_found(format!(
            "table {} is not attached to knowledge base \"{knowledge_base}\"",
            qualified_name(table)
        ))
        .hint(hint));
    }
    base::hold_attached(base.id)?;
    for source_id in attached {
        if !delete_documents {
            base.require_not_secured(source_id)?;
        }
        // Together with the documents: a transaction that has emptied the base may be about to write to the table. Before
        // documents are deleted, writers are locked out, so that no document is waited for while others are locked.
        let changes_policies = !follow::is_synced(&base, source_id, false)?;
        let mode = match (changes_policies, delete_documents) {
            (true, _) => LockMode::AccessExclusive,
            (false, true) => LockMode::Exclusive,
            (false, false) => LockMode::RowExclusive,
        };
        base.lock_with(mode, || {
            let tables = base::attached_relations(base.id, Some(source_id))?;
            let views = base.views()?.into_iter().filter(|_| changes_policies);
            Ok(TableLock::for_tables(tables.into_iter().chain(views), LockMode::AccessExclusive))
        })?;
        forget(&base, source_id)?;
        let template =
            if delete_documents { include_str!("delete_source.sql") } else { include_str!("detached.sql") };
        let sql = spi::render(template, &[("schema", &base.quoted_schema())]);
        base.connect(|c| c.execute(&sql, &[Arg::new(source_id)]))?;
        if changes_policies {
            // Last, so that the documents are gone.
            base.sync_policies()?;
        }
    }
    write::keep_settings(&base)
}

/// The source of a table that was detached and whose documents were kept.
fn detached(base: &KnowledgeBase, table: pg_sys::Oid) -> Result<Option<Uuid>> {
    let sql = spi::render(include_str!("detached_source.sql"), &[("schema", &base.quoted_schema())]);
    let args = [Arg::new(qualified_name(table))];
    base.connect(|c| c.query_one(&sql, Access::Write, &args, |row| row.require(1)))
}

fn is_owned(table: pg_sys::Oid) -> Result<bool> {
    Ok(role::has_privileges_of(lookup::table_owner(table)?))
}

/// Removes the triggers of a source and its row of the catalog.
pub fn forget(base: &KnowledgeBase, source_id: Uuid) -> Result<()> {
    base::drop_attached_triggers(base, Some(source_id))?;
    catalog::connect(|c| c.execute(include_str!("forget.sql"), &[Arg::new(source_id)]))?;
    Ok(())
}
