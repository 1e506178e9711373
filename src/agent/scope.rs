//! Which bases the tools of an agent search.

use std::borrow::Cow;

use kb_rag_core::tool;
use pgrx::Uuid;

use crate::base::{self, KnowledgeBase};
use crate::cluster;
use crate::error::Result;

/// The bases of a call.
pub struct Scope {
    agent: Option<Uuid>,
    /// Those that a model may name: without an agent, all that the caller may read, except those whose owner's policies would
    /// run as the caller.
    pub nameable: Vec<KnowledgeBase>,
}

impl Scope {
    /// 42501 if the caller may not read a base that is attached.
    pub fn of_call(agent: Option<Uuid>) -> Result<Scope> {
        let nameable = match agent {
            Some(agent) => attached(agent)?,
            None => {
                cluster::require_all_here()?;
                base::safe_to_name()?
            }
        };
        Ok(Scope { agent, nameable })
    }

    /// Those that are searched where none is named: without an agent, those of the caller's circle.
    pub fn bases(&self) -> Result<Cow<'_, [KnowledgeBase]>> {
        match self.agent {
            Some(agent) if !base::uses_knowledge_base(agent)? => Ok(Cow::Borrowed(&[])),
            Some(_) => Ok(Cow::Borrowed(&self.nameable)),
            None => Ok(Cow::Owned(base::circle()?.take_open())),
        }
    }
}

/// Those attached to the agent, if it uses them; without one, those of the caller's circle.
pub fn listed(agent: Option<Uuid>) -> Result<Vec<KnowledgeBase>> {
    let Some(agent) = agent else {
        cluster::require_all_here()?;
        return Ok(base::circle()?.take_open());
    };
    let bases = attached(agent)?;
    Ok(if base::uses_knowledge_base(agent)? { bases } else { Vec::new() })
}

/// 42501 if the caller may not read one of them.
pub fn attached(agent: Uuid) -> Result<Vec<KnowledgeBase>> {
    let bases = base::of_agent(agent)?;
    bases.iter().try_for_each(KnowledgeBase::require_read)?;
    Ok(bases)
}

/// The bases as tools name them.
pub fn named(bases: &[KnowledgeBase]) -> Vec<tool::Base<'_>> {
    bases.iter().map(named_one).collect()
}

fn named_one(base: &KnowledgeBase) -> tool::Base<'_> {
    tool::Base { slug: &base.slug, name: &base.name, description: base.description.as_deref() }
}
