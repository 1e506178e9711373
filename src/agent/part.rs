//! Tools of the bases of this server, for the server whose caller has bases on several.

use std::collections::HashSet;

use kb_rag_core::spread::{Circle, Id, ToolBase, Tools, ToolsAsk, ToolsAsked, ToolsTold};
use pgrx::Uuid;

use super::read;
use super::scope::attached;
use crate::base::{self, KnowledgeBase};
use crate::cluster;
use crate::document;
use crate::error::Result;
use crate::search::part::{self, id, uuid};

/// In place of a hint of its own, where bases of other owners are left out.
pub const OUTSIDE: &str = "Name an agent to which they are attached.";

/// The answer to a request of tools.
pub fn part(common: &Tools<Id>, own: &ToolsAsked<Id>) -> Result<ToolsTold<Id>> {
    let agent = common.agent.map(uuid);
    match common.ask {
        ToolsAsk::Bases => cluster::alone(|| bases(agent)),
        ToolsAsk::Read(document) => part::over(&part::ids(&own.bases)?, agent, false, |bases| {
            bases.iter().try_for_each(KnowledgeBase::require_read)?;
            let found = read::read(bases.iter(), uuid(document))?;
            let place = |name: &str| bases.iter().position(|base| base.name == name).unwrap_or_default();
            let found = found.map(|of| Box::new(document::detail(place(&of.knowledge_base), of)));
            Ok(ToolsTold::Read(found))
        }),
    }
}

fn bases(agent: Option<Uuid>) -> Result<ToolsTold<Id>> {
    let (bases, searched, circle): (Vec<KnowledgeBase>, HashSet<Uuid>, Circle) = match agent {
        Some(agent) => {
            let bases = attached(agent)?;
            let uses = base::uses_knowledge_base(agent)?;
            let searched = bases.iter().filter(|_| uses).map(|base| base.id).collect();
            (bases, searched, Circle::default())
        }
        None => {
            let mut found = base::circle()?;
            let circle = found.circle();
            (base::safe_to_name()?, found.take_open().iter().map(|base| base.id).collect(), circle)
        }
    };
    let told = bases.into_iter().map(|base| ToolBase {
        id: id(base.id),
        model: base.settings.space.model.to_string(),
        is_logged: base.settings.log_searches,
        is_searched: searched.contains(&base.id),
        name: base.name,
        slug: base.slug,
        description: base.description,
    });
    Ok(ToolsTold::Bases { of: told.collect(), circle })
}
