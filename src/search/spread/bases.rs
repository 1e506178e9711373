//! The bases that a search over several nodes covers, and the statistics of all.

use std::collections::{BTreeMap, HashMap, HashSet};

use kb_rag_core::model_name::{EmbeddingSpace, ModelName};
use kb_rag_core::search::{Base, Query, Thresholds};
use kb_rag_core::spread::{About, Circle, Exact, Home, Id, OwnStatistics, Scope, Statistics, StatisticsTold};
use pgrx::Uuid;

use crate::base::{NO_THRESHOLD, Ranker};
use crate::choice::Choice;
use crate::cluster::{self, Nodes, Question, Stop};
use crate::error::Result;
use crate::search::keyword::{Pool, ranker_of};
use crate::search::{Request, part, remark, scope};

const STATISTICS: Question<Statistics<Id>, OwnStatistics, StatisticsTold<Id>> =
    Question { function: "part_statistics", here: part::statistics };

/// A base on any node.
pub struct Member {
    pub id: Uuid,
    pub name: String,
    pub space: EmbeddingSpace,
    pub makes_vectors: bool,
    pub is_logged: bool,
    pub has_words: bool,
    thresholds: Thresholds,
    of_model: Option<Thresholds>,
}

/// The bases in scope, in the order in which a search on one server has them.
pub struct Bases {
    pub of: Vec<Member>,
    pub homes: Vec<Home>,
    /// The groups of the nodes that have any, and the ids of their bases.
    pub nodes: Vec<(i32, Vec<Id>)>,
    /// The space of each base.
    pub space_of: Vec<usize>,
    pub ranker: Ranker,
    /// The statistics of all bases.
    pub pool: Pool,
}

impl Bases {
    pub fn find(request: &Request, nodes: &Nodes) -> Result<Bases, Stop> {
        let ranker = request.ranker.unwrap_or(Ranker::Bm25);
        let question = part::question_of(request, ranker);
        let (scope, own, order) = asked(request, nodes)?;
        let answers = nodes.ask(&STATISTICS, &Statistics { question, scope }, own)?;
        let mut found: Vec<(i32, About<Id>)> = Vec::new();
        let mut circle = Circle::default();
        for (group, told) in answers {
            circle.add(told.circle);
            found.extend(told.of.into_iter().map(|base| (group, base)));
        }
        match request.agent {
            Some(agent) if circle.is_idle => remark::of_idle_agent(agent),
            None if !request.names_bases() => scope::tell_of_circle(&circle),
            _ => {}
        }
        // An agent's, of which one is named.
        if let Some(name) = request.knowledge_base {
            found.retain(|(_, base)| base.name == name);
        }
        scope::require_few(found.len())?;
        found.sort_by(|(_, a), (_, b)| (order.get(&a.name), &a.name).cmp(&(order.get(&b.name), &b.name)));
        Bases::of(request, found)
    }

    fn of(request: &Request, found: Vec<(i32, About<Id>)>) -> Result<Bases, Stop> {
        let mut bases = Bases {
            of: Vec::new(),
            homes: Vec::new(),
            nodes: Vec::new(),
            space_of: Vec::new(),
            ranker: Ranker::Bm25,
            pool: Pool::default(),
        };
        let rankers = found.iter().map(|(_, about)| Ranker::from_name(&about.ranker));
        let rankers: Vec<Ranker> = rankers.collect::<Result<_>>()?;
        bases.ranker = ranker_of(request, rankers.into_iter());
        for (group, about) in found {
            bases.add(group, about);
        }
        Ok(bases)
    }

    fn add(&mut self, group: i32, about: About<Id>) {
        let node = self.nodes.iter().position(|(known, _)| *known == group).unwrap_or_else(|| {
            self.nodes.push((group, Vec::new()));
            self.nodes.len() - 1
        });
        let ids = &mut self.nodes[node].1;
        self.homes.push(Home { node, base: ids.len() });
        ids.push(about.id);
        self.pool.chunks += about.chunks.0;
        self.pool.length += about.length.0;
        let of_model = about.thresholds_of_model();
        for (lexeme, Exact(frequency)) in about.frequencies {
            *self.pool.frequencies.entry(lexeme).or_default() += frequency;
        }
        let space = EmbeddingSpace { model: ModelName::new(about.model), dimensions: about.dimensions };
        let known = self.of.iter().position(|base| base.space == space).map(|base| self.space_of[base]);
        let new = self.space_of.iter().map(|space| space + 1).max().unwrap_or(0);
        self.space_of.push(known.unwrap_or(new));
        let number = |of: Option<Exact>| of.map(|Exact(number)| number);
        self.of.push(Member {
            id: part::uuid(about.id),
            name: about.name,
            space,
            makes_vectors: about.makes_vectors,
            is_logged: about.is_logged,
            has_words: about.has_words,
            thresholds: Thresholds {
                gate: number(about.answer_threshold),
                filter: number(about.match_threshold),
                exact: None,
            },
            of_model,
        });
    }

    /// What a search has to know of them.
    pub fn about(&self, query: &Query) -> Vec<Base> {
        let about = |(base, space): (&Member, &usize)| {
            let Thresholds { gate, filter, exact } =
                query.thresholds(base.thresholds, || base.of_model, NO_THRESHOLD);
            Base { space: *space, threshold: filter, gate, exact, makes_vectors: base.makes_vectors }
        };
        self.of.iter().zip(&self.space_of).map(about).collect()
    }

    /// The place of a base among all, by its node and its place there.
    pub fn place(&self, group: i32, base: usize) -> Option<usize> {
        let node = self.nodes.iter().position(|(of, _)| *of == group)?;
        self.homes.iter().position(|home| home.node == node && home.base == base)
    }

    /// The group of the node of a base, and its id.
    pub fn home(&self, name: &str) -> Option<(i32, Id)> {
        let place = self.of.iter().position(|base| base.name == name)?;
        let home = self.homes.get(place)?;
        let (group, ids) = self.nodes.get(home.node)?;
        Some((*group, *ids.get(home.base)?))
    }

    /// The bases of a space.
    pub fn in_space(&self, space: usize) -> impl Iterator<Item = &Member> {
        self.of.iter().zip(&self.space_of).filter(move |(_, of)| **of == space).map(|(base, _)| base)
    }

    /// Whether nothing is left of the question to search for by keyword.
    pub fn have_no_words(&self) -> bool {
        self.of.iter().all(|base| !base.has_words)
    }
}

type Own = BTreeMap<i32, OwnStatistics>;

/// Which bases each node is asked for, and the order of those that have names.
fn asked(request: &Request, nodes: &Nodes) -> Result<(Scope<Id>, Own, HashMap<String, usize>)> {
    let all = || nodes.groups().iter().map(|group| (*group, OwnStatistics::default())).collect();
    if let Some(agent) = request.agent {
        return Ok((Scope::Agent(part::id(agent)), all(), HashMap::new()));
    }
    let one = request.knowledge_base.map(|name| vec![name.to_string()]);
    let Some(names) = request.knowledge_bases.as_ref().or(one.as_ref()) else {
        let leaves_out_untrusted = scope::leaves_out_untrusted(request);
        return Ok((Scope::All { leaves_out_untrusted }, all(), HashMap::new()));
    };
    let names = scope::distinct(names)?;
    let mut own = Own::new();
    let covered: HashSet<i32> = nodes.groups().iter().copied().collect();
    for (name, group) in names.iter().zip(cluster::groups_of(&names)?) {
        // This server says what is wrong with a name that no node has.
        let group = group.unwrap_or(nodes.own());
        if group == nodes.own() || covered.contains(&group) {
            own.entry(group).or_default().names.push((*name).clone());
        }
    }
    let order = names.iter().enumerate().map(|(place, name)| ((*name).clone(), place)).collect();
    Ok((Scope::Names, own, order))
}
