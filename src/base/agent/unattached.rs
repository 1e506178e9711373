//! Agents that nobody attached to a base, and that are answered from one that stands in: `fallback_base` of kb_snippets.
//!
//! Callers choose the names, so so many are noted in an hour and kept. They are shown to administrators of the base, who can attach
//! them.

use std::collections::HashMap;

use pgrx::Uuid;
use pgrx::prelude::*;

use crate::base::{KnowledgeBase, by_name, readable};
use crate::catalog;
use crate::error::Result;
use crate::postgres::snapshot;
use crate::postgres::spi::{Access, Arg, Planning};
use crate::postgres::test_point::test_limit;

/// How many are noted in an hour, and kept, for each base.
const MAX_AGENTS: i64 = 1_000;
/// How much of a name is kept, in characters.
const MAX_NAME: usize = 200;

/// An agent to which no base is attached.
pub struct Unattached {
    pub agent: Uuid,
    /// The base that it was answered from.
    pub knowledge_base: String,
    /// As it was called.
    pub name: String,
    pub asked_at: TimestampWithTimeZone,
}

/// Whether the catalog has them, which that of kb_rag 0.3 lacks.
fn are_noted() -> bool {
    catalog::has_table(c"unattached_agent")
}

/// Notes that an agent was answered from a base, once an hour. Not where nothing may be written; and not in a transaction that
/// keeps its snapshot, which cannot count what others note.
pub fn note_unattached(base: &KnowledgeBase, agent: Uuid, name: &str) -> Result<()> {
    if !are_noted() || !snapshot::may_write() || snapshot::is_kept() {
        return Ok(());
    }
    let name: String = name.chars().take(MAX_NAME).collect();
    let max = test_limit("unattached_agents", MAX_AGENTS);
    catalog::connect(|c| {
        let args = [Arg::new(base.id), Arg::new(agent), Arg::new(name), Arg::new(max)];
        let noted = c.execute(include_str!("note_unattached.sql"), &args)?;
        if noted > 0 {
            let args = [Arg::new(base.id), Arg::new(agent), Arg::new(max)];
            c.execute(include_str!("expire_unattached.sql"), &args)?;
        }
        Ok(())
    })
}

/// Those of a base that the caller administers, or of all of these bases.
pub fn unattached(knowledge_base: Option<&str>) -> Result<Vec<Unattached>> {
    let bases = match knowledge_base {
        Some(name) => {
            let base = by_name(name, Access::Read)?;
            base.require_read()?;
            base.require_admin()?;
            vec![base]
        }
        None => administered()?,
    };
    if !are_noted() {
        return Ok(Vec::new());
    }
    let names: HashMap<Uuid, String> = bases.into_iter().map(|base| (base.id, base.name)).collect();
    let ids: Vec<Uuid> = names.keys().copied().collect();
    let mut found: Vec<Unattached> = catalog::connect(|c| {
        let sql = include_str!("unattached.sql");
        c.query(sql, Access::Read, Planning::Generic, &[Arg::new(ids)], |row| {
            let base: Uuid = row.require(2)?;
            Ok(Unattached {
                agent: row.require(1)?,
                knowledge_base: names.get(&base).cloned().unwrap_or_default(),
                name: row.require(3)?,
                asked_at: row.require(4)?,
            })
        })
    })?;
    found.sort_by(|a, b| (a.agent, &a.knowledge_base).cmp(&(b.agent, &b.knowledge_base)));
    Ok(found)
}

/// Forgets an agent in the bases that the caller administers.
pub(super) fn forget_agent(agent: Uuid) -> Result<()> {
    if !are_noted() {
        return Ok(());
    }
    let ids: Vec<Uuid> = administered()?.into_iter().map(|base| base.id).collect();
    forget(ids, Some(agent))
}

/// Forgets all agents of a base that is dropped.
pub fn forget_unattached_of(base: Uuid) -> Result<()> {
    if are_noted() { forget(vec![base], None) } else { Ok(()) }
}

fn forget(bases: Vec<Uuid>, agent: Option<Uuid>) -> Result<()> {
    let args = [Arg::new(bases), Arg::new(agent)];
    catalog::connect(|c| c.execute(include_str!("delete_unattached.sql"), &args).map(drop))
}

fn administered() -> Result<Vec<KnowledgeBase>> {
    let mut bases = readable()?;
    bases.retain(|base| base.require_admin().is_ok());
    Ok(bases)
}
