//! Performs what a search asks for: each action is a statement, a scan, or a call of a model.

use std::time::Duration;

use kb_rag_core::search::{Action, Base, DEPTH, Hit, Nearest, Query, Remark, Similarities, Thresholds};
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
            run.perform(&mut search, action)?;
        }
    }
    let has_no_words = query.uses_keywords()
        && !request.query.trim().is_empty()
        && keyword.as_ref().is_some_and(Keyword::is_empty);
    Ok(Found { embedding_time: search.embedding_time(), hits: search.end()?, has_no_words })
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
fn available<T>(result: Result<T>) -> Result<Result<T>> {
    match result {
        Err(error) if !error.is_unavailable() => Err(error),
        other => Ok(other),
    }
}

struct Run<'a> {
    connection: &'a Connection,
    request: &'a Request<'a>,
    bases: &'a [KnowledgeBase],
    /// The part of each base that the caller may see.
    visible: &'a [Visible],
    pgvector: Pgvector,
    /// None in the mode semantic.
    keyword: Option<&'a Keyword>,
    spaces: Vec<Space<'a>>,
}

impl<'a> Run<'a> {
    fn perform(&mut self, search: &mut Search, action: Action<Uuid>) -> Result<()> {
        match action {
            Action::Keyword(action) => {
                let hits = self.words(action.base)?.best(action.depth, action.needed)?;
                search.listed(action, Ok(hits));
            }
            Action::Coverage(action) => {
                let held = self.words(action.id.base)?.held(action.id.chunk)?;
                search.covered(action, Ok(held));
            }
            Action::Held(action) => {
                let held = self.words(action.base)?.wholes_held(action.ids.clone())?;
                search.held(action, Ok(held));
            }
            Action::Open(action) => {
                let space = &mut self.spaces[action.space];
                space.require_read()?;
                let opened = available(space.open(self.request, action.checks_question))?;
                search.opened(action, opened);
            }
            Action::Embed(action) => {
                let embedded = available(self.spaces[action.space].embed(self.request))?;
                search.embedded(action, embedded);
            }
            Action::Nearest(action) => {
                let hits = available(self.nearest(&action))?;
                search.nearest(action, hits);
            }
            Action::Read(action) => {
                let model = &self.spaces[action.space].space.model;
                let weight =
                    available(legibility::of_chunks(self.connection, self.bases, model, &action.ids))?;
                search.read(action, weight);
            }
            Action::Similarities(action) => {
                let scores = self.similarities(&action)?;
                search.compared(action, Ok(scores));
            }
            Action::KeywordScores(action) => {
                let scores = self.words(action.base)?.scores(action.ids.clone())?;
                search.scored(action, Ok(scores));
            }
            Action::Documents(action) => {
                let documents = results::documents(self.connection, self.bases, &action.ids)?;
                search.documents(action, Ok(documents.into_iter().collect()));
            }
            Action::Texts(action) => {
                let texts = results::digests(self.connection, self.bases, &action.ids)?;
                search.texts(action, Ok(texts.into_iter().collect()));
            }
            Action::Places(action) => {
                let places = windows::places(self.connection, self.bases, &action.ids, action.window)?;
                search.places(action, Ok(places));
            }
            Action::Queue(action) => {
                let has_any = queue::lacks_vectors(self.bases[action.base].id)?;
                search.queued(action, Ok(has_any));
            }
            Action::Lacking(action) => {
                let lacks = self.words(action.base)?.finds_without_vector()?;
                search.lacking(action, Ok(lacks));
            }
        }
        Ok(())
    }

    /// The question's words in a base.
    fn words(&self, place: usize) -> Result<InBase<'a>> {
        let words = self.keyword.and_then(|keyword| {
            keyword.in_base(self.connection, self.request, self.bases, self.visible, place)
        });
        words.ok_or_else(|| Error::internal("a keyword search without words"))
    }

    fn nearest(&self, action: &Nearest) -> Result<Vec<(Uuid, f64)>> {
        let base = &self.bases[action.base];
        base.read(|| {
            let words = self.keyword.map(|_| self.words(action.base)).transpose()?;
            let filter = match &words {
                Some(words) => words.filter_of_others()?,
                None => Filter::new(self.request, base)?,
            };
            let depth = Depth { hits: action.depth as i64, candidates: action.candidates as i64 };
            let vector = &self.spaces[action.space].vector;
            let visible = &self.visible[action.base];
            semantic::nearest(self.connection, &self.pgvector, base, visible, &filter, vector, depth)
        })
    }

    fn similarities(&self, action: &Similarities<Uuid>) -> Result<Vec<(Uuid, f64)>> {
        let (base, vector) = (&self.bases[action.base], &self.spaces[action.space].vector);
        semantic::similarities(self.connection, &self.pgvector, base, vector, action.ids.clone())
    }

    fn say(&self, remarks: Vec<Remark<Error>>, query: &Query) {
        for said in remarks {
            match said {
                Remark::QuestionUnread { space } => {
                    remark::of_legibility(&self.spaces[space], "the question", 0.0, query.uses_keywords());
                }
                Remark::TextsUnread { space, weight } => {
                    remark::of_legibility(
                        &self.spaces[space],
                        "the texts found",
                        weight,
                        query.uses_keywords(),
                    );
                }
                Remark::WithoutSpace { space, error } => {
                    remark::of_space(&self.spaces[space], error, query.uses_keywords());
                }
                Remark::Without { error } => error.warn("the search goes on without it"),
            }
        }
    }
}
