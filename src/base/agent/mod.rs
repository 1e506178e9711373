//! Which knowledge bases an agent searches.

pub mod configure;
pub mod drop;
pub mod unattached;

use std::collections::HashMap;

use kb_rag_core::agent;
use pgrx::Uuid;

use super::{KnowledgeBase, by_name, check_filter, exists, readable, select, unknown};
use crate::catalog;
use crate::cluster;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// The identifier of the agent of this name. 22023 for an empty one.
pub fn agent_id(name: &str) -> Result<Uuid> {
    if name.trim().is_empty() {
        return Err(Error::invalid("the name of the agent is empty")
            .hint("Use the name that the application gives the agent, such as agt_xyz789."));
    }
    Ok(Uuid::from_bytes(agent::id_of(name)))
}

/// Whether any base is attached to the agent, in whatever state.
pub fn has_bases(agent: Uuid) -> Result<bool> {
    Ok(!select(include_str!("../of_agent.sql"), Access::Read, || vec![Arg::new(agent)])?.is_empty())
}

/// A base that is attached to an agent.
pub struct Attachment {
    pub agent: Uuid,
    pub knowledge_base: String,
    pub filter: Jsonb,
    pub use_knowledge_base: bool,
}

/// The attachments of agents: to one base, or to all bases that the caller may read.
pub fn attachments(knowledge_base: Option<&str>) -> Result<Vec<Attachment>> {
    let bases = match knowledge_base {
        Some(name) => {
            let base = by_name(name, Access::Read)?;
            base.require_read()?;
            vec![base]
        }
        None => readable()?,
    };
    let names: HashMap<Uuid, String> = bases.into_iter().map(|base| (base.id, base.name)).collect();
    let ids: Vec<Uuid> = names.keys().copied().collect();
    let uses = if configure::are_recorded() { include_str!("attachment_uses.sql") } else { "true" };
    let sql = spi::render(include_str!("attachments.sql"), &[("uses", uses)]);
    let mut found = catalog::connect(|c| {
        c.query(&sql, Access::Read, Planning::Generic, &[Arg::new(ids)], |row| {
            Ok((row.require(1)?, row.require::<Uuid>(2)?, row.require(3)?, row.require(4)?))
        })
    })?
    .into_iter()
    .filter_map(|(agent, base, filter, use_knowledge_base)| {
        Some(Attachment { agent, knowledge_base: names.get(&base)?.clone(), filter, use_knowledge_base })
    })
    .collect::<Vec<_>>();
    found.sort_by(|a, b| (a.agent, &a.knowledge_base).cmp(&(b.agent, &b.knowledge_base)));
    Ok(found)
}

/// The bases attached to an agent, whatever their state: also those that searches leave out for the caller.
pub(super) fn attached_to(agent: Uuid) -> Result<Vec<KnowledgeBase>> {
    select(include_str!("attached_to.sql"), Access::Write, || vec![Arg::new(agent)])
}

/// 22023 for the id of a base, which always stands for that base alone.
pub(super) fn require_no_base(agent: Uuid) -> Result<()> {
    if exists(agent)? || cluster::is_base_elsewhere(agent)? {
        return Err(Error::invalid(format!("{agent} is the id of a knowledge base")).hint(
            "Use another UUID for the agent; the id of a knowledge base always stands for that base alone.",
        ));
    }
    Ok(())
}

/// Whether the caller administers one of the bases that this server has of an agent; None where it has none.
pub fn is_agent_administered(agent: Uuid) -> Result<Option<bool>> {
    let attached = attached_to(agent)?;
    if attached.is_empty() {
        return Ok(None);
    }
    let administered = attached.iter().map(KnowledgeBase::may_detach).collect::<Result<Vec<bool>>>()?;
    Ok(Some(administered.contains(&true)))
}

/// 42501 unless the caller administers one of the bases of an agent that has some, on any node.
fn require_administered(agent: Uuid) -> Result<()> {
    let mut administered: Vec<bool> = is_agent_administered(agent)?.into_iter().collect();
    administered.extend(cluster::administers_elsewhere(agent)?);
    if administered.is_empty() || administered.contains(&true) {
        return Ok(());
    }
    Err(Error::denied(format!("must be an administrator of one of the knowledge bases of agent {agent}"))
        .hint("Ask an administrator of one of them to attach yours, or use another agent id."))
}

/// Attaches the base to the agent, which sees only chunks whose metadata contains `filter`; attached again, it gets the new
/// filter. The caller must administer the base and, if the agent has bases already, one of those: no role may add chunks to
/// the searches of another role's agent.
pub fn attach_agent(agent: Uuid, knowledge_base: &str, filter: Jsonb) -> Result<()> {
    check_filter(&filter)?;
    let base = match by_name(knowledge_base, Access::Write) {
        // That node knows of its own bases only.
        Err(error) if error.group().is_some() => {
            require_no_base(agent)?;
            require_administered(agent)?;
            return Err(error);
        }
        found => found?,
    };
    base.require_admin()?;
    cluster::require_vouched()?;
    require_no_base(agent)?;
    require_administered(agent)?;
    catalog::connect(|c| {
        // The base may have been dropped while we waited for its lock.
        let id = c.query_one(include_str!("share_row.sql"), Access::Write, &[Arg::new(base.id)], |row| {
            row.require::<Uuid>(1)
        })?;
        let id = id.ok_or_else(|| unknown(knowledge_base))?;
        c.execute(include_str!("attach.sql"), &[Arg::new(agent), Arg::new(id), Arg::new(filter)])
    })?;
    Ok(())
}

/// Detaches the base, for its administrators. 42704 if it is not attached.
pub fn detach_agent(agent: Uuid, knowledge_base: &str) -> Result<()> {
    let base = by_name(knowledge_base, Access::Write)?;
    base.require_admin()?;
    let detached =
        catalog::connect(|c| c.execute(include_str!("detach.sql"), &[Arg::new(agent), Arg::new(base.id)]))?;
    if detached == 0 {
        return Err(Error::not_found(format!(
            "knowledge base \"{knowledge_base}\" is not attached to agent {agent}"
        )));
    }
    configure::forget_unattached()
}
