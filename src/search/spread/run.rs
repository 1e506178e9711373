//! Runs a search whose actions nodes answer.

use std::collections::BTreeMap;
use std::time::Duration;

use kb_rag_core::search::{Action, DEPTH, Query, Remark};
use kb_rag_core::spread::{Answered, Ask, Asked, Candidates, Exact, Floats, Id, Known, Vector, With};

use super::bases::{Bases, Member};
use super::rows::Reader;
use crate::cluster::{self, Nodes, Question, Stop};
use crate::error::{Error, Result};
use crate::postgres::test_point::{test_limit, test_point};
use crate::search::{Duplicates, FoundChunk, Mode, Request, part, remark};

type Search = kb_rag_core::search::Search<Id, Error>;

pub const CANDIDATES: Question<Candidates<Id>, Asked<Id>, Answered<Id>> =
    Question { function: "part_candidates", here: part::candidates };

/// What a search finds.
pub struct Found {
    pub chunks: Vec<FoundChunk>,
    /// How long models took to embed the question.
    pub embedding_time: Duration,
    /// Whether keyword search was asked for, with a question of which nothing is left to search for.
    pub has_no_words: bool,
    /// How many words of a long question were left out.
    pub left_out: usize,
}

/// Runs a search over some bases.
pub fn run(request: &Request, nodes: &Nodes, bases: &Bases) -> Result<Found, Stop> {
    let uses_words = request.mode != Mode::Semantic;
    let query = match request.to_query() {
        query if uses_words && !bases.ranker.is_bm25() => query.without_coverage(),
        query => query,
    };
    let about = bases.about(&query);
    let compares = query.uses_keywords() && query.uses_vectors();
    let with = With {
        coverage: compares,
        held: compares && about.iter().any(|base| base.exact.is_some()),
        scores: query.uses_keywords(),
        documents: request.max_per_document.is_some(),
        texts: request.duplicates == Duplicates::Merge,
    };
    let own = bases.nodes.iter().position(|(group, _)| *group == nodes.own());
    let mut known = Known::new(bases.homes.clone(), bases.space_of.clone(), own, with);
    if let Some(vector) = &request.query_embedding {
        for (space, base) in bases.space_of.iter().zip(&bases.of) {
            vector.check(base.space.dimensions as usize, "the query embedding")?;
            known.give(*space, vector.0.clone());
        }
    }
    let depth = usize::try_from(test_limit("depth", DEPTH as i64)).unwrap_or(DEPTH);
    let mut search = Search::new(query, about, depth);
    let mut run = Run { request, nodes, bases, query, with, known, left_out: 0 };
    let mut reader = Reader::new(request, nodes, bases);
    let chunks = loop {
        run.go_on(&mut search)?;
        let Some(hits) = search.results() else { break Vec::new() };
        test_point("spread_rows");
        let (chunks, gone) = reader.read(&hits)?;
        if gone.is_empty() {
            break chunks;
        }
        // Deleted since they were found: others take their places.
        search.without(&gone);
    };
    let (embedding_time, left_out) = (search.embedding_time(), run.left_out);
    search.end()?;
    let has_no_words = query.uses_keywords() && !request.query.trim().is_empty() && bases.have_no_words();
    Ok(Found { chunks, embedding_time, has_no_words, left_out })
}

struct Run<'a> {
    request: &'a Request<'a>,
    nodes: &'a Nodes,
    bases: &'a Bases,
    query: Query,
    with: With,
    known: Known<Id>,
    left_out: usize,
}

impl Run<'_> {
    /// Performs what a search asks for, up to its end.
    fn go_on(&mut self, search: &mut Search) -> Result<(), Stop> {
        loop {
            let actions = search.next_actions();
            self.say(search.take_remarks());
            if actions.is_empty() {
                return Ok(());
            }
            self.find_out(&actions)?;
            for action in actions {
                self.known
                    .answer(search, action, Error::of_failure)
                    .map_err(|_| Error::internal("an action of a search without an answer"))?;
            }
        }
    }

    /// Asks nodes until all actions have answers.
    fn find_out(&mut self, actions: &[Action<Id>]) -> Result<(), Stop> {
        loop {
            let asks = self.known.asks(actions);
            if asks.is_empty() {
                return Ok(());
            }
            let own: BTreeMap<i32, Asked<Id>> = asks
                .iter()
                .map(|(node, asks)| {
                    let (group, bases) = &self.bases.nodes[*node];
                    (*group, Asked { bases: bases.clone(), asks: asks.clone() })
                })
                .collect();
            let mut answers = self.nodes.ask(&CANDIDATES, &self.common(&asks), own)?;
            for (node, asks) in asks {
                let group = self.bases.nodes[node].0;
                let Answered { told, left_out } =
                    answers.remove(&group).ok_or_else(|| Error::internal("a node that answers nothing"))?;
                self.left_out = self.left_out.max(left_out);
                if self.known.learn(node, &asks, told).is_err() {
                    return Err(cluster::unreadable(group)?.into());
                }
            }
        }
    }

    /// What all nodes get. Statistics and vectors go only where they are used.
    fn common(&self, asks: &BTreeMap<usize, Vec<Ask<Id>>>) -> Candidates<Id> {
        let all = || asks.values().flatten();
        let compares = all().any(|ask| matches!(ask, Ask::Nearest { .. } | Ask::Similarities { .. }));
        let opens = all().all(|ask| matches!(ask, Ask::Open { .. }));
        let pool = &self.bases.pool;
        let frequencies = pool.frequencies.iter().map(|(lexeme, found)| (lexeme.clone(), Exact(*found)));
        Candidates {
            question: part::question_of(self.request, self.bases.ranker),
            agent: self.request.agent.map(part::id),
            is_named: self.request.names_bases(),
            chunks: Exact(pool.chunks),
            length: Exact(pool.length),
            frequencies: if opens { Vec::new() } else { frequencies.collect() },
            vectors: if compares { self.vectors() } else { Vec::new() },
            with: self.with,
        }
    }

    fn vectors(&self) -> Vec<Vector> {
        let spaces = 0..self.bases.space_of.iter().map(|space| space + 1).max().unwrap_or(0);
        let vector = |space| {
            let vector = self.known.vector(space)?.to_vec();
            let base = self.bases.in_space(space).next()?;
            let model = base.space.model.to_string();
            Some(Vector { model, dimensions: base.space.dimensions, vector: Floats(vector) })
        };
        spaces.filter_map(vector).collect()
    }

    fn say(&self, remarks: Vec<Remark<Error>>) {
        let uses_keywords = self.query.uses_keywords();
        for said in remarks {
            match said {
                Remark::QuestionUnread { space } => {
                    self.of_legibility(space, "the question", 0.0);
                }
                Remark::TextsUnread { space, weight } => {
                    self.of_legibility(space, "the texts found", weight);
                }
                Remark::WithoutSpace { space, error } => {
                    remark::of_space(&self.names(space), error, uses_keywords);
                }
                Remark::Without { error } => error.warn("the search goes on without it"),
            }
        }
    }

    fn of_legibility(&self, space: usize, what: &str, weight: f64) {
        let model = self.bases.in_space(space).next().map(|base| base.space.model.to_string());
        let (model, names) = (model.unwrap_or_default(), self.names(space));
        remark::of_legibility(&model, &names, what, weight, self.query.uses_keywords());
    }

    /// The names of the bases of a space.
    fn names(&self, space: usize) -> Vec<&str> {
        self.bases.in_space(space).map(|Member { name, .. }| name.as_str()).collect()
    }
}
