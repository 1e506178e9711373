//! Whether an agent uses its knowledge bases.

use pgrx::Uuid;

use super::{attached_to, require_no_base};
use crate::base::KnowledgeBase;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::spi::{Access, Arg};
use crate::queue;

/// Whether the catalog has settings of agents, which that of kb_rag 0.3 lacks.
pub(super) fn are_recorded() -> bool {
    catalog::has_table(c"agent")
}

/// Says whether an agent uses its knowledge bases; None leaves that as it is. 42704 without a base, 42501 unless the caller
/// administers one of them, as for attaching another one.
pub fn configure_agent(agent: Uuid, use_knowledge_base: Option<bool>) -> Result<()> {
    require_no_base(agent)?;
    let attached = attached_to(agent)?;
    if attached.is_empty() {
        return Err(Error::not_found(format!("agent {agent} has no knowledge base"))
            .hint("Attach one with kb_attach_agent."));
    }
    if !attached.iter().map(KnowledgeBase::may_detach).collect::<Result<Vec<bool>>>()?.contains(&true) {
        return Err(Error::denied(format!(
            "must be an administrator of one of the knowledge bases of agent {agent}"
        ))
        .hint("Ask an administrator of one of them."));
    }
    let Some(uses) = use_knowledge_base else { return Ok(()) };
    catalog::connect(|c| c.execute(include_str!("configure.sql"), &[Arg::new(agent), Arg::new(uses)]))?;
    queue::release_held()
}

/// Whether an agent uses its knowledge bases, as it does by default.
pub fn uses_knowledge_base(agent: Uuid) -> Result<bool> {
    if !are_recorded() {
        return Ok(true);
    }
    let sql = include_str!("uses.sql");
    let uses = catalog::connect(|c| {
        c.query_one(sql, Access::Read, &[Arg::new(agent)], |row| row.require::<bool>(1))
    })?;
    Ok(uses.unwrap_or(true))
}

/// Forgets settings of agents without a base, and queues what does not wait any more.
pub fn forget_unattached() -> Result<()> {
    if !are_recorded() {
        return Ok(());
    }
    catalog::connect(|c| c.execute(include_str!("forget_unattached.sql"), &[]))?;
    queue::release_held()
}
