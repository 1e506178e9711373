//! Which knowledge bases an agent searches.

use pgrx::Uuid;

use super::{by_name, unknown};
use crate::error::{Error, Result};
use crate::role;
use crate::spi::{self, Access, Arg};

/// Attaches the base to the agent; once attached, again is no error. The caller must administer the base and, where
/// the agent has bases already, one of those: nobody adds passages to what a stranger's agent reads.
pub fn attach_agent(agent: Uuid, knowledge_base: &str) -> Result<()> {
    let base = by_name(knowledge_base, Access::Write)?;
    base.require_admin()?;
    let attached = super::of_agent(agent)?;
    if attached.iter().any(|other| other.id == agent) {
        return Err(Error::invalid(format!("{agent} is the id of a knowledge base")).hint(
            "Attach to an agent of your own, any other uuid; a base's id stands for that base alone.",
        ));
    }
    if !attached.is_empty() && !attached.iter().any(|other| other.require_admin().is_ok()) {
        return Err(Error::denied(format!(
            "agent {agent} belongs to the administrators of its knowledge bases"
        ))
        .hint("Ask an administrator of one of them to attach yours, or use another agent id."));
    }
    role::as_catalogue_owner(|| {
        spi::connect(|c| {
            // The base may have been dropped while we waited for its lock.
            let id =
                c.query_one(include_str!("share_row.sql"), Access::Write, &[Arg::new(base.id)], |row| {
                    row.require::<Uuid>(1)
                })?;
            let id = id.ok_or_else(|| unknown(knowledge_base))?;
            c.execute(include_str!("attach_agent.sql"), &[Arg::new(agent), Arg::new(id)])
        })
    })?;
    Ok(())
}

/// Detaches it; who administers the base may. 42704 when it is not attached.
pub fn detach_agent(agent: Uuid, knowledge_base: &str) -> Result<()> {
    let base = by_name(knowledge_base, Access::Write)?;
    base.require_admin()?;
    let detached = role::as_catalogue_owner(|| {
        spi::connect(|c| c.execute(include_str!("detach_agent.sql"), &[Arg::new(agent), Arg::new(base.id)]))
    })?;
    if detached == 0 {
        return Err(Error::not_found(format!(
            "knowledge base \"{knowledge_base}\" is not attached to agent {agent}"
        )));
    }
    Ok(())
}
