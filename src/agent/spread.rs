//! Tools of bases on several nodes.

use std::collections::{BTreeMap, HashMap, HashSet};

use kb_rag_core::slug;
use kb_rag_core::spread::{Circle, Id, Tools, ToolsAsk, ToolsAsked, ToolsTold};
use pgrx::Uuid;

use super::part;
use super::scope::Base;
use crate::base;
use crate::cluster::{self, Question, Stop};
use crate::document::{self, Document};
use crate::error::Result;
use crate::search::part::{id, uuid};

const TOOLS: Question<Tools<Id>, ToolsAsked<Id>, ToolsTold<Id>> =
    Question { function: "part_tools", here: part::part };

/// The nodes of bases.
pub struct Homes {
    own: i32,
    groups: HashMap<Uuid, i32>,
    searched: HashSet<Uuid>,
}

impl Homes {
    /// The bases that are searched where none is named.
    pub fn searched(&self) -> impl Iterator<Item = Uuid> {
        self.searched.iter().copied()
    }

    /// The group of the node that has a base, if that is another one.
    pub fn group_elsewhere(&self, base: Uuid) -> Option<i32> {
        self.groups.get(&base).copied().filter(|group| *group != self.own)
    }
}

/// The bases that a model may name on the nodes of these groups, ordered by name. `notifies` says whether the caller is told of those that are left out.
pub fn bases(agent: Option<Uuid>, groups: &[i32], notifies: bool) -> Result<(Vec<Base>, Homes)> {
    let common = Tools { agent: agent.map(id), ask: ToolsAsk::Bases };
    cluster::over(groups, |nodes| {
        let (mut bases, mut all) = (Vec::new(), Circle::default());
        let mut homes = Homes { own: nodes.own(), groups: HashMap::new(), searched: HashSet::new() };
        for (group, told) in nodes.ask_all(&TOOLS, &common, &ToolsAsked { bases: Vec::new() })? {
            let ToolsTold::Bases { of, circle } = told else {
                return Err(cluster::unreadable(group)?.into());
            };
            all.add(circle);
            for base in of {
                homes.groups.insert(uuid(base.id), group);
                homes.searched.extend(base.is_searched.then_some(uuid(base.id)));
                bases.push(Base {
                    id: uuid(base.id),
                    slug: base.slug,
                    name: base.name,
                    description: base.description,
                    model: base.model,
                    is_logged: base.is_logged,
                });
            }
        }
        bases.sort_by(|a, b| a.name.cmp(&b.name));
        make_unique(&mut bases);
        if notifies {
            base::notify_of_outside(&all.outside, part::OUTSIDE);
        }
        Ok((bases, homes))
    })
}

/// Each node has its own slugs. All bases of the same one get a suffix: a name that a client knows must not become that of another base.
fn make_unique(bases: &mut [Base]) {
    // Again, because a base may have the slug that another one gets.
    for _ in 0..bases.len() {
        let mut count: HashMap<String, usize> = HashMap::new();
        bases.iter().for_each(|base| *count.entry(base.slug.clone()).or_default() += 1);
        let same: Vec<&mut Base> =
            bases.iter_mut().filter(|base| count.get(&base.slug).is_some_and(|count| *count > 1)).collect();
        if same.is_empty() {
            break;
        }
        for base in same {
            base.slug = slug::with_suffix(&base.slug, &base.id.as_bytes()[10..]);
        }
    }
}

/// The document of this id in the first of the bases that has it. None if the agent finds no chunk of it.
pub fn read(agent: Option<Uuid>, homes: &Homes, bases: &[Uuid], document: Uuid) -> Result<Option<Document>> {
    let common = Tools { agent: agent.map(id), ask: ToolsAsk::Read(id(document)) };
    let mut asked: BTreeMap<i32, ToolsAsked<Id>> = BTreeMap::new();
    for base in bases {
        let Some(group) = homes.groups.get(base) else { continue };
        asked.entry(*group).or_insert_with(|| ToolsAsked { bases: Vec::new() }).bases.push(id(*base));
    }
    let groups: Vec<i32> = asked.keys().copied().collect();
    let found = cluster::over(&groups, |nodes| {
        let own = asked.iter().filter(|(group, _)| nodes.groups().contains(group));
        let own = own.map(|(group, asked)| (*group, asked.clone()));
        let mut found = Vec::new();
        for (group, told) in nodes.ask(&TOOLS, &common, own.collect())? {
            let ToolsTold::Read(read) = told else { return Err(Stop::from(cluster::unreadable(group)?)) };
            found.extend(read.map(|of| *of));
        }
        Ok(found)
    })?;
    let first = found.into_iter().min_by(|a, b| a.knowledge_base.cmp(&b.knowledge_base));
    first.map(document::document).transpose()
}
