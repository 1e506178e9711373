//! Which bases the tools of an agent search.

use std::collections::HashSet;

use kb_rag_core::tool;
use pgrx::Uuid;

use super::read;
use super::spread;
use crate::base::{self, KnowledgeBase};
use crate::cluster;
use crate::document::Document;
use crate::error::Result;
use crate::search::Covered;

/// A base that tools search.
pub struct Base {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    /// The name of its embedding model.
    pub model: String,
    /// Whether it asks for a log of searches.
    pub is_logged: bool,
}

impl From<&KnowledgeBase> for Base {
    fn from(base: &KnowledgeBase) -> Base {
        Base {
            id: base.id,
            slug: base.slug.clone(),
            name: base.name.clone(),
            description: base.description.clone(),
            model: base.settings.space.model.to_string(),
            is_logged: base.settings.log_searches,
        }
    }
}

impl From<&Base> for Covered {
    fn from(base: &Base) -> Covered {
        Covered { id: base.id, is_logged: base.is_logged }
    }
}

/// The bases of a call.
pub struct Scope {
    agent: Option<Uuid>,
    /// Those that a model may name: without an agent, all that the caller may read, except those whose owner's policies would
    /// run as the caller.
    pub nameable: Vec<Base>,
    place: Place,
}

/// The servers that have the bases.
enum Place {
    Here(Vec<KnowledgeBase>),
    Nodes(spread::Homes),
}

impl Scope {
    /// 42501 if the caller may not read a base that is attached.
    pub fn of_call(agent: Option<Uuid>) -> Result<Scope> {
        let here = match agent {
            Some(agent) => attached(agent),
            None => cluster::require_all_here().and_then(|()| base::safe_to_name()),
        };
        let here = here.map(|bases| {
            let nameable = bases.iter().map(Base::from).collect();
            Scope { agent, nameable, place: Place::Here(bases) }
        });
        cluster::here_or_over(here, |groups| {
            let (nameable, homes) = spread::bases(agent, groups, false)?;
            Ok(Scope { agent, nameable, place: Place::Nodes(homes) })
        })
    }

    /// Those that are searched where none is named: without an agent, those of the caller's circle.
    pub fn bases(&self) -> Result<Vec<&Base>> {
        let searched: HashSet<Uuid> = match (&self.place, self.agent) {
            (Place::Nodes(homes), _) => homes.searched().collect(),
            (Place::Here(_), Some(agent)) if !base::uses_knowledge_base(agent)? => HashSet::new(),
            (Place::Here(bases), Some(_)) => bases.iter().map(|base| base.id).collect(),
            (Place::Here(_), None) => base::circle()?.take_open().iter().map(|base| base.id).collect(),
        };
        Ok(self.nameable.iter().filter(|base| searched.contains(&base.id)).collect())
    }

    /// The group of the node that has a base, if that is another one.
    pub fn group_elsewhere(&self, base: &Base) -> Option<i32> {
        match &self.place {
            Place::Here(_) => None,
            Place::Nodes(homes) => homes.group_elsewhere(base.id),
        }
    }

    /// The document of this id in the first base that has it. None if the agent finds no chunk of it.
    pub fn read(&self, id: Uuid) -> Result<Option<Document>> {
        let searched: Vec<Uuid> = self.bases()?.into_iter().map(|base| base.id).collect();
        match &self.place {
            Place::Here(bases) => read::read(bases.iter().filter(|base| searched.contains(&base.id)), id),
            Place::Nodes(homes) => spread::read(self.agent, homes, &searched, id),
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
pub fn named<'a>(bases: impl IntoIterator<Item = &'a Base>) -> Vec<tool::Base<'a>> {
    bases.into_iter().map(named_one).collect()
}

fn named_one(base: &Base) -> tool::Base<'_> {
    tool::Base { slug: &base.slug, name: &base.name, description: base.description.as_deref() }
}
