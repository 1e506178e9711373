//! Removing an agent.

use pgrx::{Uuid, pg_sys};

use super::configure::forget_unattached;
use super::unattached::forget_agent;
use super::{attached_to, require_no_base};
use crate::base::{KnowledgeBase, by_id, named, naming_base, readable};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::role;
use crate::postgres::spi::{self, Arg};

/// Detaches every base from the agent and, if asked, deletes its documents; returns how many were deleted. 42501, with nothing
/// done, unless the caller administers all of the bases.
pub fn drop_agent(agent: Uuid, delete_documents: bool) -> Result<i64> {
    require_no_base(agent)?;
    let attached = attached_to(agent)?;
    for base in &attached {
        // The names of bases that the caller may not see are not told.
        if !base.may_detach()? {
            return Err(Error::denied(format!(
                "must be an administrator of all knowledge bases of agent {agent}"
            ))
            .hint(
                "Detach yours with kb_detach_agent, and ask administrators of the others to detach them.",
            ));
        }
    }
    if delete_documents {
        attached.iter().try_for_each(KnowledgeBase::require_local)?;
        // kb_drop locks a base before its rows in the catalog, too.
        attached.iter().try_for_each(|base| is_locked(base).map(drop))?;
    }
    let ids: Vec<Uuid> = attached.iter().map(|base| base.id).collect();
    catalog::connect(|c| c.execute(include_str!("drop.sql"), &[Arg::new(agent), Arg::new(ids.clone())]))?;
    forget_unattached()?;
    forget_agent(agent)?;
    if delete_documents { delete_documents_of(agent, &ids) } else { Ok(0) }
}

/// Locks a base against kb_drop. False if it was dropped since it was found, and its documents with it.
fn is_locked(base: &KnowledgeBase) -> Result<bool> {
    match base.lock() {
        Err(error) => by_id(base.id)?.map_or(Ok(false), |_| Err(error)),
        Ok(()) => Ok(true),
    }
}

/// Deletes documents whose metadata has the agent's id, in its bases and in those of the caller's circle, where the caller may.
fn delete_documents_of(agent: Uuid, attached: &[Uuid]) -> Result<i64> {
    let (mut deleted, mut outside) = (0, Vec::new());
    for base in readable()? {
        if !base.may_delete() {
            continue;
        }
        if !attached.contains(&base.id) && !base.is_in_circle()? {
            outside.push(base);
        } else if !base.has_own_columns(c"document", &[(c"metadata", pg_sys::JSONBOID)]) {
            base.warn_of_altered_tables();
        } else if !base.is_safe_unnamed()? {
            pgrx::warning!(
                "documents of the agent in knowledge base \"{}\" stay: row security that its owner wrote would run with \
                 your privileges",
                base.name
            );
        } else if is_locked(&base)? {
            deleted += naming_base(&base.name, "written to", || base.delete_documents_of(agent))?;
        }
    }
    if !outside.is_empty() {
        Error::remark(format!("documents of the agent in {} stay", named(outside.iter())))
            .detail("The current role may write there through PUBLIC or as superuser only.")
            .hint("SET ROLE to the owner of the knowledge base to delete them.")
            .notify();
    }
    Ok(deleted)
}

impl KnowledgeBase {
    /// Whether the caller may detach it from agents: its administrators, and once its schema is gone who may drop it.
    pub(in crate::base) fn may_detach(&self) -> Result<bool> {
        let caller = role::current_role();
        Ok(match self.has_schema() {
            true => self.require_admin().is_ok(),
            false => role::is_superuser(caller) || self.owner == role::role_name(caller)?,
        })
    }

    fn delete_documents_of(&self, agent: Uuid) -> Result<i64> {
        let sql = spi::render(include_str!("delete_of_agent.sql"), &[("schema", &self.quoted_schema())]);
        let deleted =
            self.write_documents(|| spi::connect(|c| c.execute(&sql, &[Arg::new(agent.to_string())])))?;
        i64::try_from(deleted).map_err(|_| Error::internal("more documents than a bigint counts"))
    }
}
