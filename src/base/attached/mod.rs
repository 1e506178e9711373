//! Tables that are attached to a base: their triggers, and their row security.

pub mod follow;
pub mod policies;
pub mod row_security;

use pgrx::{Uuid, pg_sys};

use super::KnowledgeBase;
use crate::catalog;
use crate::error::Result;
use crate::lock::{self, LockMode, Patience, Subject, TableLock};
use crate::postgres::spi::{self, Access, Arg, Planning};

/// Keeps workers from reading the tables attached to a base. Called before the tables are locked: a worker that reads a table
/// takes this lock first.
pub fn hold_attached(base_id: Uuid) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("hold.sql"), &[Arg::new(base_id)]))?;
    Ok(())
}

fn arguments(base_id: Uuid, source_id: Option<Uuid>) -> [Arg; 2] {
    [Arg::new(base_id.to_string()), Arg::new(source_id.map(|source_id| source_id.to_string()))]
}

/// The tables and partitions that have triggers of a base, or of one source, in the order in which they are locked.
pub fn attached_relations(base_id: Uuid, source_id: Option<Uuid>) -> Result<Vec<pg_sys::Oid>> {
    catalog::connect(|c| {
        let args = arguments(base_id, source_id);
        let sql = include_str!("relations.sql");
        c.query(sql, Access::Latest, Planning::Generic, &args, |row| row.require(1))
    })
}

/// The sources of a base that a table has triggers of, and that the catalog does not know: as after `pg_dump -s`, if kb_adopt did not
/// take the table over.
pub fn lost_sources(base_id: Uuid, table: pg_sys::Oid) -> Result<Vec<Uuid>> {
    catalog::connect(|c| {
        let args = [Arg::new(base_id.to_string()), Arg::new(table)];
        let sql = include_str!("lost_sources.sql");
        c.query(sql, Access::Latest, Planning::Generic, &args, |row| row.require(1))
    })
}

/// Drops the triggers of all tables attached to a base, or of one source, as the extension's owner: a role that drops or
/// administers a base need not own the tables.
pub fn drop_attached_triggers(base: &KnowledgeBase, source_id: Option<Uuid>) -> Result<()> {
    let name = format!("the tables attached to knowledge base \"{}\"", base.name);
    lock::acquire(&Subject { name: &name, gate: None }, Patience::of_session(), || {
        Ok(TableLock::for_tables(attached_relations(base.id, source_id)?, LockMode::AccessExclusive))
    })?;
    catalog::connect(|c| {
        let sql = include_str!("triggers.sql");
        let args = arguments(base.id, source_id);
        let triggers: Vec<String> =
            c.query(sql, Access::Latest, Planning::Generic, &args, |row| row.require(1))?;
        triggers.iter().try_for_each(|trigger| {
            c.run(&spi::render(include_str!("../drop_trigger.sql"), &[("trigger", trigger)]))
        })
    })
}
