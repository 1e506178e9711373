//! Performs what a search asks for: each action is a statement, a scan, or a call of a model.

use std::time::{Duration, Instant};

use kb_rag_core::search::{Account, Action, Base, DEPTH, Hit, Query, Remark, Thresholds};
use pgrx::Uuid;

use super::filter::Filter;
use super::keyword::{InBase, Keyword};
use super::semantic::{self, Depth};
use super::space::{self, Space};
use super::visible::Visible;
use super::{Mode, Request, legibility, remark, results, windows};
use crate::base::{Embed, KnowledgeBase, NO_THRESHOLD};
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::spi::Connection;
use crate::postgres::test_point::test_limit;
use crate::postgres::vector::Pgvector;
use crate::queue;

type Search = kb_rag_core::search::Search<Uuid, Error>;

/// What a search finds.
pub struct Found {
    pub hits: Vec<Hit<Uuid>>,
    /// How long models took to embed the question.
    pub embedding_time: Duration,
    /// Whether keyword search was asked for, with a question of which nothing is left to search for.
    pub has_no_words: bool,
}

/// Runs a search over some bases.
pub fn run(connection: &Connection, request: &Request, bases: &[KnowledgeBase]) -> Result<Found> {
    run_noted(connection, request, bases, &mut |_| {}, |_, _, _, _| Ok(())).map(|(found, ())| found)
}

/// A step that was performed, for explanations.
pub struct Step {
    /// Its name.
    pub name: &'static str,
    /// The number of its space.
    pub space: Option<usize>,
    /// How many candidates were asked for, and found.
    pub depth: Option<usize>,
    pub found: Option<usize>,
    /// How the vectors were found.
    pub method: Option<&'static str>,
    pub time: Duration,
}

/// The same, and hands each step to `note`. At the end `look` sees what the search came to, the question's words, and the question's
/// vector in each space.
pub fn run_noted<T>(
    connection: &Connection,
    request: &Request,
    bases: &[KnowledgeBase],
    note: &mut dyn FnMut(Step),
    look: impl FnOnce(Account, Option<&Keyword>, &[Visible], &[Space]) -> Result<T>,
) -> Result<(Found, T)> {
    let visible = bases.iter().map(|base| Visible::of_base(connection, base)).collect::<Result<Vec<_>>>()?;
    // Phrases and excluded words hold for results by vectors, too.
    let keyword = (request.mode != Mode::Semantic)
        .then(|| Keyword::prepare(connection, request, bases, &visible))
        .transpose()?;
    let query = match &keyword {
        Some(keyword) if !keyword.is_by_frequency() => request.to_query().without_coverage(),
        _ => request.to_query(),
    };
    let (spaces, numbers) = space::of_bases(bases);
    let about = bases.iter().zip(numbers).map(|(base, space)| about(&query, base, space)).collect();
    let depth = usize::try_from(test_limit("depth", DEPTH as i64)).unwrap_or(DEPTH);
    let mut search = Search::new(query, about, depth);
    let pgvector = Pgvector::find()?;
    let mut run =
        Run { connection, request, bases, visible: &visible, pgvector, keyword: keyword.as_ref(), spaces };
    loop {
        let actions = search.next_actions();
        run.say(search.take_remarks(), &query);
        if actions.is_empty() {
            break;
        }
        for action in actions {
            let began = Instant::now();
            let step = run.perform(&mut search, action)?;
            note(Step { time: began.elapsed(), ..step });
        }
    }
    let seen = look(search.account(), run.keyword, run.visible, &run.spaces)?;
    let has_no_words = query.uses_keywords()
        && !request.query.trim().is_empty()
        && keyword.as_ref().is_some_and(Keyword::is_empty);
    Ok((Found { embedding_time: search.embedding_time(), hits: search.end()?, has_no_words }, seen))
}

/// What a search has to know of a base.
fn about(query: &Query, base: &KnowledgeBase, space: usize) -> Base {
    let settings = &base.settings;
    let own = Thresholds { gate: settings.answer_threshold, filter: settings.match_threshold, exact: None };
    let of_model = || model::thresholds(&settings.space.model);
    let Thresholds { gate, filter, exact } = query.thresholds(own, of_model, NO_THRESHOLD);
    Base { space, threshold: filter, gate, exact, makes_vectors: settings.embed != Embed::Off }
}

/// An error of what a search can do without is an answer.
pub fn available<T>(result: Result<T>) -> Result<Result<T>> {
    match result {
        Err(error) if !error.is_unavailable() => Err(error),
        other => Ok(other),
    }
}

/// What answers need.
pub struct Run<'a> {
    pub connection: &'a Connection,
    pub request: &'a Request<'a>,
    pub bases: &'a [KnowledgeBase],
    /// The part of each base that the caller may see.
    pub visible: &'a [Visible],
    pub pgvector: Pgvector,
    /// None in the mode semantic.
    pub keyword: Option<&'a Keyword>,
    pub spaces: Vec<Space<'a>>,
}

impl<'a> Run<'a> {
    fn perform(&mut self, search: &mut Search, action: Action<Uuid>) -> Result<Step> {
        let step =
            |name| Step { name, space: None, depth: None, found: None, method: None, time: Duration::ZERO };
        let done = match action {
            Action::Keyword(action) => {
                let hits = self.words(action.base)?.best(action.depth, action.needed)?;
                let (depth, found) = (Some(action.depth), Some(hits.len()));
                search.listed(action, Ok(hits));
                Step { depth, found, ..step("keyword") }
            }
            Action::Coverage(action) => {
                let held = self.words(action.id.base)?.held(action.id.chunk)?;
                search.covered(action, Ok(held));
                step("coverage")
            }
            Action::Held(action) => {
                let held = self.words(action.base)?.wholes_held(action.ids.clone())?;
                let found = Some(held.len());
                search.held(action, Ok(held));
                Step { found, ..step("held words") }
            }
            Action::Open(action) => {
                let space = &mut self.spaces[action.space];
                space.require_read()?;
                let opened = available(space.open(self.request, action.checks_question))?;
                let space = Some(action.space);
                search.opened(action, opened);
                Step { space, ..step("open model") }
            }
            Action::Embed(action) => {
                let embedded = available(self.spaces[action.space].embed(self.request))?;
                let space = Some(action.space);
                search.embedded(action, embedded);
                Step { space, ..step("embed question") }
            }
            Action::Nearest(action) => {
                let depth = Depth { hits: action.depth as i64, candidates: action.candidates as i64 };
                let (hits, method) = match available(self.nearest(action.base, action.space, depth))? {
                    Ok(found) => (Ok(found.hits), Some(found.method)),
                    Err(error) => (Err(error), None),
                };
                let (space, depth) = (Some(action.space), Some(action.depth));
                let found = hits.as_ref().ok().map(Vec::len);
                search.nearest(action, hits);
                Step { space, depth, found, method, ..step("semantic") }
            }
            Action::Read(action) => {
                let model = &self.spaces[action.space].space.model;
                let weight =
                    available(legibility::of_chunks(self.connection, self.bases, model, &action.ids))?;
                let (space, found) = (Some(action.space), Some(action.ids.len()));
                search.read(action, weight);
                Step { space, found, ..step("read texts") }
            }
            Action::Similarities(action) => {
                let scores = self.similarities(action.base, action.space, action.ids.clone())?;
                let found = Some(scores.len());
                search.compared(action, Ok(scores));
                Step { found, ..step("compare vectors") }
            }
            Action::KeywordScores(action) => {
                let scores = self.words(action.base)?.scores(action.ids.clone())?;
                let found = Some(scores.len());
                search.scored(action, Ok(scores));
                Step { found, ..step("keyword scores") }
            }
            Action::Documents(action) => {
                let documents = results::documents(self.connection, self.bases, &action.ids)?;
                search.documents(action, Ok(documents.into_iter().collect()));
                step("documents")
            }
            Action::Texts(action) => {
                let texts = results::digests(self.connection, self.bases, &action.ids)?;
                search.texts(action, Ok(texts.into_iter().collect()));
                step("copies")
            }
            Action::Places(action) => {
                let places = windows::places(self.connection, self.bases, &action.ids, action.window)?;
                search.places(action, Ok(places));
                step("windows")
            }
            Action::Queue(action) => {
                let has_any = queue::lacks_vectors(self.bases[action.base].id)?;
                search.queued(action, Ok(has_any));
                step("queue")
            }
            Action::Lacking(action) => {
                let lacks = self.words(action.base)?.finds_without_vector()?;
                search.lacking(action, Ok(lacks));
                step("chunks without vectors")
            }
        };
        Ok(done)
    }

    /// The question's words in a base.
    pub fn words(&self, place: usize) -> Result<InBase<'a>> {
        let words = self.keyword.and_then(|keyword| {
            keyword.in_base(self.connection, self.request, self.bases, self.visible, place)
        });
        words.ok_or_else(|| Error::internal("a keyword search without words"))
    }

    /// The nearest chunks of a base to the vector of the question in its space.
    pub fn nearest(&self, place: usize, space: usize, depth: Depth) -> Result<semantic::Found> {
        let base = &self.bases[place];
        base.read(|| {
            let words = self.keyword.map(|_| self.words(place)).transpose()?;
            let filter = match &words {
                Some(words) => words.filter_of_others()?,
                None => Filter::new(self.request, base)?,
            };
            let vector = &self.spaces[space].vector;
            let visible = &self.visible[place];
            semantic::nearest(self.connection, &self.pgvector, base, visible, &filter, vector, depth)
        })
    }

    /// How similar chunks of a base are to the question.
    pub fn similarities(&self, place: usize, space: usize, ids: Vec<Uuid>) -> Result<Vec<(Uuid, f64)>> {
        let (base, vector) = (&self.bases[place], &self.spaces[space].vector);
        semantic::similarities(self.connection, &self.pgvector, base, vector, ids)
    }

    fn say(&self, remarks: Vec<Remark<Error>>, query: &Query) {
        for said in remarks {
            match said {
                Remark::QuestionUnread { space } => {
                    self.of_legibility(space, "the question", 0.0, query);
                }
                Remark::TextsUnread { space, weight } => {
                    self.of_legibility(space, "the texts found", weight, query);
                }
                Remark::WithoutSpace { space, error } => {
                    let space = &self.spaces[space];
                    remark::of_space(&space.names(), error, query.uses_keywords());
                }
                Remark::Without { error } => error.warn("the search goes on without it"),
            }
        }
    }

    fn of_legibility(&self, space: usize, what: &str, weight: f64, query: &Query) {
        let space = &self.spaces[space];
        let model = space.space.model.to_string();
        remark::of_legibility(&model, &space.names(), what, weight, query.uses_keywords());
    }
}
