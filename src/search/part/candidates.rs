//! Actions of a search, performed in the bases of this server.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;

use kb_rag_core::model_name::EmbeddingSpace;
use kb_rag_core::search::{READ_HITS, Window};
use kb_rag_core::spread::{
    Answered, Ask, Asked, Bytes, Candidates, Exact, Floats, Found, Id, Placed, Shares, Told, With,
};
use pgrx::Uuid;

use super::{check_place, check_window, id, ids, out_of_range, over, request, uuid};
use crate::base::{self, KnowledgeBase, Ranker};
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::vector::Pgvector;
use crate::queue;
use crate::search::filter::Filter;
use crate::search::keyword::{InBase, Keyword, Pool};
use crate::search::run::{Run, available};
use crate::search::semantic::Depth;
use crate::search::visible::Visible;
use crate::search::{Candidate, Mode, Request, legibility, results, space, windows};

/// So many of the first chunks by keyword come with what they hold of the question in whole words: a search asks of no more.
const HELD: usize = 20;
/// The most questions about a base: one of each kind.
const MAX_ASKS: usize = 13;
/// More chunks than a base can have.
const MAX_DEPTH: usize = i32::MAX as usize;

/// Performs what is asked.
pub fn candidates(common: &Candidates<Id>, own: &Asked<Id>) -> Result<Answered<Id>> {
    let bases = ids(&own.bases)?;
    let request = request(&common.question)?;
    if own.asks.len() > MAX_ASKS * bases.len() {
        return Err(out_of_range("more questions than a search asks"));
    }
    for ask in &own.asks {
        check_place(ask.base(), bases.len())?;
        check_extent(ask)?;
        if needs_words(ask) && request.mode == Mode::Semantic {
            return Err(Error::invalid("the request asks for keywords in the mode semantic"));
        }
    }
    over(&bases, common.agent.map(uuid), common.is_named, |bases| {
        guc::with_settings(&[], || spi::connect(|connection| told(connection, &request, common, own, &bases)))
    })
}

/// 22023 for more than a search asks for.
fn check_extent(ask: &Ask<Id>) -> Result<()> {
    match ask {
        Ask::Keyword { depth, needed, .. } if *depth.max(needed) > MAX_DEPTH => {
            Err(out_of_range("a depth that is out of range"))
        }
        Ask::Nearest { depth, candidates, .. } if *depth.max(candidates) > MAX_DEPTH => {
            Err(out_of_range("a depth that is out of range"))
        }
        Ask::Places { window, .. } => check_window(*window),
        _ => Ok(()),
    }
}

fn needs_words(ask: &Ask<Id>) -> bool {
    matches!(
        ask,
        Ask::Keyword { .. }
            | Ask::Coverage { .. }
            | Ask::Held { .. }
            | Ask::KeywordScores { .. }
            | Ask::Lacking { .. }
    )
}

fn told(
    connection: &spi::Connection,
    request: &Request,
    common: &Candidates<Id>,
    own: &Asked<Id>,
    bases: &[KnowledgeBase],
) -> Result<Answered<Id>> {
    let finds = own.asks.iter().any(|ask| needs_words(ask) || matches!(ask, Ask::Nearest { .. }));
    let (mut visible, mut keyword, mut left_out) = (Vec::new(), None, 0);
    if finds {
        visible = bases.iter().map(|base| Visible::of_base(connection, base)).collect::<Result<Vec<_>>>()?;
    }
    if finds && request.mode != Mode::Semantic {
        let pool = Pool {
            chunks: common.chunks.0,
            length: common.length.0,
            frequencies: common.frequencies.iter().map(|(lexeme, found)| (lexeme.clone(), found.0)).collect(),
        };
        let ranker = request.ranker.unwrap_or(Ranker::Bm25);
        // What it warns of was said with the statistics.
        let quiet: &[(&CStr, &CStr)] = &[(c"client_min_messages", c"error")];
        let (found, count) = guc::with_settings(quiet, || {
            Keyword::of_part(connection, request, bases, &visible, ranker, pool)
        })?;
        (keyword, left_out) = (Some(found), count);
    }
    let (mut spaces, space_of) = space::of_bases(bases);
    for space in &mut spaces {
        let EmbeddingSpace { model, dimensions } = space.space;
        let of_space = |vector: &&kb_rag_core::spread::Vector| {
            vector.model == model.as_str() && vector.dimensions == *dimensions
        };
        if let Some(found) = common.vectors.iter().find(of_space) {
            space.take(&found.vector.0)?;
        }
    }
    let pgvector = Pgvector::find()?;
    let run =
        Run { connection, request, bases, visible: &visible, pgvector, keyword: keyword.as_ref(), spaces };
    let is_unknown = !common.is_named && common.agent.is_none();
    let mut part = Part { run, space_of, with: common.with, is_unknown, opened: HashSet::new() };
    let told = own.asks.iter().map(|ask| part.tell(ask)).collect::<Result<Vec<_>>>()?;
    Ok(Answered { told, left_out })
}

struct Part<'a> {
    run: Run<'a>,
    /// The space of each base.
    space_of: Vec<usize>,
    with: With,
    /// Whether the caller may not know which bases are searched: their providers must belong to trusted roles.
    is_unknown: bool,
    /// The spaces whose models were asked.
    opened: HashSet<usize>,
}

impl Part<'_> {
    fn tell(&mut self, ask: &Ask<Id>) -> Result<Told<Id>> {
        let run = &self.run;
        let place = ask.base();
        let told = match ask {
            Ask::Keyword { depth, needed, .. } => {
                let words = run.words(place)?;
                let hits = words.best(*depth, *needed)?;
                Told::Found { hits: self.by_keyword(place, &words, hits)?, method: None }
            }
            Ask::Nearest { depth, candidates, .. } => {
                self.require_vector(place)?;
                let depth = Depth { hits: *depth as i64, candidates: *candidates as i64 };
                match available(self.nearest(place, depth))? {
                    Ok((hits, method)) => Told::Found { hits, method: Some(method.to_string()) },
                    Err(error) => Told::Failed { failure: error.to_failure(), is_opened: true },
                }
            }
            Ask::Open { checks_question, .. } => self.open(place, *checks_question)?,
            Ask::Coverage { ids, .. }
            | Ask::Held { ids, .. }
            | Ask::Similarities { ids, .. }
            | Ask::KeywordScores { ids, .. }
            | Ask::Read { ids, .. }
            | Ask::Documents { ids, .. }
            | Ask::Texts { ids, .. }
            | Ask::Places { ids, .. } => self.about(ask, place, self.seen(place, uuids(ids))?)?,
            Ask::Queue { .. } => {
                run.bases[place].require_read()?;
                Told::Flag(queue::lacks_vectors(run.bases[place].id)?)
            }
            Ask::Lacking { .. } => Told::Flag(run.words(place)?.finds_without_vector()?),
        };
        Ok(told)
    }

    /// What is asked about these chunks.
    fn about(&self, ask: &Ask<Id>, place: usize, chunks: Vec<Uuid>) -> Result<Told<Id>> {
        let run = &self.run;
        let all: Vec<Candidate> = chunks.iter().map(|chunk| at(place, *chunk)).collect();
        Ok(match ask {
            Ask::Coverage { .. } => {
                let words = run.words(place)?;
                let held = chunks.into_iter().map(|chunk| Ok((id(chunk), Shares::from(words.held(chunk)?))));
                Told::Shares(held.collect::<Result<_>>()?)
            }
            Ask::Held { .. } => {
                let held = run.words(place)?.wholes_held(chunks)?;
                Told::Shares(held.into_iter().map(|(chunk, held)| (id(chunk), held.into())).collect())
            }
            Ask::Similarities { .. } => {
                self.require_vector(place)?;
                Told::Scores(scores(run.similarities(place, self.space_of[place], chunks)?))
            }
            Ask::KeywordScores { .. } => Told::Scores(scores(run.words(place)?.scores(chunks)?)),
            Ask::Read { .. } => {
                let found = self.readings(place, &all)?;
                Told::Readings(found.into_iter().map(|(of, reading)| (id(of.chunk), reading)).collect())
            }
            Ask::Documents { .. } => {
                let found = results::documents(run.connection, run.bases, &all)?;
                let found = found.into_iter().map(|(of, document)| (id(of.chunk), id(document)));
                Told::Documents(found.collect())
            }
            Ask::Texts { .. } => {
                let found = results::digests(run.connection, run.bases, &all)?;
                let found = found.into_iter().map(|(of, digest)| (id(of.chunk), Bytes(digest.to_vec())));
                Told::Texts(found.collect())
            }
            Ask::Places { window, .. } => self.places(&all, *window)?,
            _ => return Err(Error::internal("an action that is not about chunks")),
        })
    }

    /// Those of the chunks that row security lets the caller see: a search names none that it did not find, but this caller may be
    /// anybody.
    fn seen(&self, place: usize, chunks: Vec<Uuid>) -> Result<Vec<Uuid>> {
        let base = &self.run.bases[place];
        base.require_read()?;
        if !base.is_row_secured()? {
            return Ok(chunks);
        }
        base.read(|| {
            let schema = base.quoted_schema();
            let mut args = vec![Arg::new(chunks)];
            let conditions = Filter::of_base(base)?.conditions(&schema, &mut args)?;
            let values = [("schema", schema.as_str()), ("conditions", &conditions)];
            let sql = spi::render(include_str!("../passing.sql"), &values);
            self.run.connection.query(&sql, Access::Read, Planning::Custom, &args, |row| row.require(1))
        })
    }

    /// 55000 where the request has no vector of the model of a base.
    fn require_vector(&self, place: usize) -> Result<()> {
        if !self.run.spaces[self.space_of[place]].vector.is_empty() {
            return Ok(());
        }
        let name = &self.run.bases[place].name;
        Err(Error::not_ready(format!(
            "the model of knowledge base \"{name}\" was changed while it was searched"
        ))
        .hint("Repeat the search."))
    }

    /// What was found by keyword, with what it holds of the question.
    fn by_keyword(&self, place: usize, words: &InBase, hits: Vec<(Uuid, f64)>) -> Result<Vec<Found<Id>>> {
        let mut found = self.found(place, &hits)?;
        if self.with.coverage
            && let Some((first, found)) = hits.first().zip(found.first_mut())
        {
            found.coverage = Some(words.held(first.0)?.into());
        }
        if self.with.held && !hits.is_empty() {
            let first: Vec<Uuid> = hits.iter().take(HELD).map(|(chunk, _)| *chunk).collect();
            let held: HashMap<Uuid, _> = words.wholes_held(first)?.into_iter().collect();
            for (found, (chunk, _)) in found.iter_mut().zip(&hits) {
                found.held = held.get(chunk).copied().map(Shares::from);
            }
        }
        Ok(found)
    }

    /// What vectors found, with the scores by keyword, and how well the model reads the first ones.
    fn nearest(&self, place: usize, depth: Depth) -> Result<(Vec<Found<Id>>, &'static str)> {
        let nearest = self.run.nearest(place, self.space_of[place], depth)?;
        let hits = nearest.hits;
        let mut found = self.found(place, &hits)?;
        if self.with.scores && self.run.keyword.is_some() && !hits.is_empty() {
            let chunks = hits.iter().map(|(chunk, _)| *chunk).collect();
            let scores: HashMap<Uuid, f64> = self.run.words(place)?.scores(chunks)?.into_iter().collect();
            for (found, (chunk, _)) in found.iter_mut().zip(&hits) {
                found.keyword_score = scores.get(chunk).copied().map(Exact);
            }
        }
        let first: Vec<Candidate> = hits.iter().take(READ_HITS).map(|(chunk, _)| at(place, *chunk)).collect();
        if !first.is_empty() {
            let readings = self.readings(place, &first)?;
            for (found, of) in found.iter_mut().zip(&first) {
                found.reading = readings.get(of).copied();
            }
        }
        Ok((found, nearest.method))
    }

    /// Chunks with their documents and digests of their texts, where these are wanted.
    fn found(&self, place: usize, hits: &[(Uuid, f64)]) -> Result<Vec<Found<Id>>> {
        let Run { connection, bases, .. } = self.run;
        let candidates: Vec<Candidate> = hits.iter().map(|(chunk, _)| at(place, *chunk)).collect();
        let documents = match self.with.documents {
            true => results::documents(connection, bases, &candidates)?,
            false => HashMap::new(),
        };
        let texts = match self.with.texts {
            true => results::digests(connection, bases, &candidates)?,
            false => HashMap::new(),
        };
        let found = hits.iter().zip(&candidates).map(|((chunk, score), of)| Found {
            document: documents.get(of).copied().map(id),
            text: texts.get(of).map(|digest| Bytes(digest.to_vec())),
            ..Found::new(id(*chunk), *score)
        });
        Ok(found.collect())
    }

    fn readings(&self, place: usize, chunks: &[Candidate]) -> Result<HashMap<Candidate, (usize, usize)>> {
        let Run { connection, bases, .. } = self.run;
        legibility::readings(connection, bases, &bases[place].settings.space.model, chunks)
    }

    /// Opens the model of a base with the right of its owner, and has it embed the question if it reads that.
    fn open(&mut self, place: usize, checks_question: bool) -> Result<Told<Id>> {
        let request = self.run.request;
        if !self.opened.insert(self.space_of[place]) {
            return Err(out_of_range("two questions to a model"));
        }
        if self.is_unknown {
            let model = &self.run.bases[place].settings.space.model;
            if model::untrusted_owner(model)?.is_some() {
                return Err(base::changed());
            }
        }
        let space = &mut self.run.spaces[self.space_of[place]];
        space.require_read()?;
        let is_read = match available(space.open(request, checks_question))? {
            Ok(is_read) => is_read,
            Err(error) => return Ok(Told::Failed { failure: error.to_failure(), is_opened: false }),
        };
        if !is_read {
            return Ok(Told::Opened { vector: None, microseconds: 0 });
        }
        match available(space.embed(request))? {
            Ok(time) => Ok(Told::Opened {
                vector: Some(Floats(space.vector.clone())),
                microseconds: u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
            }),
            Err(error) => Ok(Told::Failed { failure: error.to_failure(), is_opened: true }),
        }
    }

    fn places(&self, chunks: &[Candidate], window: Window) -> Result<Told<Id>> {
        let places = windows::places(self.run.connection, self.run.bases, chunks, window)?;
        let placed = places.into_iter().map(|(of, place)| {
            let (chunk, around) = (place.chunk, place.around);
            let placed = Placed {
                document: id(place.document),
                chunk: (chunk.start, chunk.end),
                around: (around.start, around.end),
            };
            (id(of.chunk), placed)
        });
        Ok(Told::Places(placed.collect()))
    }
}

fn at(base: usize, chunk: Uuid) -> Candidate {
    Candidate { chunk, base }
}

fn uuids(ids: &[Id]) -> Vec<Uuid> {
    ids.iter().copied().map(uuid).collect()
}

fn scores(found: Vec<(Uuid, f64)>) -> Vec<(Id, Exact)> {
    found.into_iter().map(|(chunk, score)| (id(chunk), Exact(score))).collect()
}
