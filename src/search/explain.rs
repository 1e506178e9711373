//! kb_explain: how a question was read, what each step of the search found, and why a chunk stands where it does. The search is that
//! of kb_search; the steps are noted while it runs.

use std::collections::{HashMap, HashSet};

use kb_rag_core::search::Account;
use pgrx::Uuid;
use serde_json::{Value, json};

use super::filter::Filter;
use super::keyword::Keyword;
use super::run::{self, Step};
use super::space::Space;
use super::visible::Visible;
use super::{FoundChunk, Mode, QUESTION_FIRST, Request, results, scope, semantic};
use crate::base::{self, KnowledgeBase, NO_THRESHOLD};
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::vector::Pgvector;

/// A chunk that is not among so many results is explained without a place.
const DEEP: i64 = 1_000;

/// The explanation of a search in one base; with `chunk`, the identifier of a chunk or of a document, of these chunks too.
pub fn explain(request: &Request, chunk: Option<Uuid>) -> Result<Value> {
    let search = || {
        scope::of_request(request, |bases| {
            let bases = scope::without_untrusted(request, bases)?;
            let [base] = &bases[..] else {
                return Err(Error::invalid("one knowledge base has to be named")
                    .hint("Give knowledge_base; an agent must be attached to it."));
            };
            guc::with_settings(&[], || {
                spi::connect(|connection| of_base(connection, request, base, &bases, chunk))
            })
        })
    };
    match request.knowledge_base {
        Some(name) => base::naming_base(name, "searched", search)
            .map_err(|error| base::in_order(error, name, request.query, QUESTION_FIRST)),
        None => search(),
    }
}

fn of_base(
    connection: &Connection,
    request: &Request,
    base: &KnowledgeBase,
    bases: &[KnowledgeBase],
    chunk: Option<Uuid>,
) -> Result<Value> {
    let mut steps = Vec::new();
    let mut note = |step: Step| steps.push(step);
    let (found, seen) =
        run::run_noted(connection, request, bases, &mut note, |account, keyword, visible, spaces| {
            let words = keyword.and_then(|keyword| keyword.explain(request, base, 0));
            let at = Place { connection, request, base, bases, keyword, visible, spaces };
            let chunks = chunk.map(|chunk| at.chunks(chunk)).transpose()?;
            Ok((account, serde_json::to_value(words).unwrap_or_default(), chunks))
        })?;
    let (account, words, chunks) = seen;
    let chunks_found = results::fetch(connection, request, bases, found.hits)?;
    let thresholds = thresholds(request, base);
    let explained = match chunks {
        None => Value::Null,
        Some(rows) => reasons(request, base, &thresholds, &chunks_found, rows)?,
    };
    Ok(json!({
        "question": {
            "text": request.query,
            "embedded": request.embeds_query().then(|| request.embedded_query()),
            "analyzer": base.settings.analyzer().to_string(),
            "keywords": words,
            "held_by_best": account.held.map(|held| json!({"words": held.words, "codes": held.codes})),
        },
        "steps": steps.iter().map(|step| of_step(step, base)).collect::<Vec<_>>(),
        "fusion": fusion(request, &account),
        "thresholds": thresholds,
        "results": chunks_found.iter().enumerate().map(|(place, found)| of_result(place, found)).collect::<Vec<_>>(),
        "chunk": explained,
    }))
}

fn of_step(step: &Step, base: &KnowledgeBase) -> Value {
    let model = step.space.map(|_| base.settings.space.model.to_string());
    let mut value = json!({"step": step.name, "milliseconds": step.time.as_secs_f64() * 1e3});
    let more = [
        ("depth", json!(step.depth)),
        ("found", json!(step.found)),
        ("method", json!(step.method)),
        ("model", json!(model)),
    ];
    if let Value::Object(members) = &mut value {
        members.extend(
            more.into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.to_string(), value)),
        );
    }
    value
}

fn fusion(request: &Request, account: &Account) -> Value {
    let arms: Vec<Value> = account
        .arms
        .iter()
        .map(|arm| {
            let reading = arm.space.and_then(|space| account.spaces.get(space)?.reading);
            json!({
                "arm": if arm.space.is_some() { "semantic" } else { "keyword" },
                "weight": arm.weight,
                "candidates": arm.found,
                "is_usable": arm.is_usable,
                "model_reads_texts": reading,
            })
        })
        .collect();
    json!({
        "mode": request.mode.name(),
        "fusion": request.fusion.name(),
        "rrf_k": request.rrf_k,
        "keyword_weight": request.keyword_weight,
        "semantic_weight": request.semantic_weight,
        "depth": account.depth,
        "arms": arms,
    })
}

/// What holds for the rows of this search, and the gate of kb_context and the tools.
fn thresholds(request: &Request, base: &KnowledgeBase) -> Value {
    let of_base = base.settings.match_threshold;
    let threshold = request.match_threshold.or(of_base).filter(|threshold| *threshold != NO_THRESHOLD);
    let of_model = || model::thresholds(&base.settings.space.model).and_then(|found| found.gate);
    let gate = base.settings.answer_threshold.or_else(of_model).filter(|gate| *gate != NO_THRESHOLD);
    json!({"match_threshold": threshold, "answer_threshold": gate})
}

fn of_result(place: usize, found: &FoundChunk) -> Value {
    json!({
        "rank": place + 1,
        "chunk_id": found.chunk_id.to_string(),
        "document_id": found.document_id.to_string(),
        "title": found.title,
        "source": found.source,
        "score": found.score,
        "similarity": found.similarity,
        "keyword_score": found.keyword_score,
        "semantic_rank": found.semantic_rank,
        "keyword_rank": found.keyword_rank,
    })
}

/// A chunk that was asked about.
struct Row {
    id: Uuid,
    document: Uuid,
    title: Option<String>,
    source: Option<String>,
    ordinal: Option<i32>,
    has_vector: bool,
    passes: bool,
    similarity: Option<f64>,
    keyword_score: Option<f64>,
}

/// A search that has ended, with what its arms know.
struct Place<'a> {
    connection: &'a Connection,
    request: &'a Request<'a>,
    base: &'a KnowledgeBase,
    bases: &'a [KnowledgeBase],
    keyword: Option<&'a Keyword>,
    visible: &'a [Visible],
    spaces: &'a [Space<'a>],
}

impl Place<'_> {
    /// The chunks of an identifier that the caller sees, with their scores in each arm.
    fn chunks(&self, id: Uuid) -> Result<Vec<Row>> {
        let schema = self.base.quoted_schema();
        let mut rows = self.base.read(|| {
            let sql = spi::render(include_str!("explained_chunks.sql"), &[("schema", &schema)]);
            self.connection.query(&sql, Access::Read, Planning::Auto, &[Arg::new(id)], |row| {
                Ok(Row {
                    id: row.require(1)?,
                    document: row.require(2)?,
                    title: row.get(3)?,
                    source: row.get(4)?,
                    ordinal: row.get(5)?,
                    has_vector: row.require(6)?,
                    passes: false,
                    similarity: None,
                    keyword_score: None,
                })
            })
        })?;
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        let passing = self.passing(&ids)?;
        let similarities = self.similarities(&ids)?;
        let scores = self.keyword_scores(&ids)?;
        for row in &mut rows {
            row.passes = passing.contains(&row.id);
            row.similarity = similarities.get(&row.id).copied();
            row.keyword_score = scores.get(&row.id).copied().filter(|score| *score > 0.0);
        }
        Ok(rows)
    }

    /// Those that the filters of the search let pass.
    fn passing(&self, ids: &[Uuid]) -> Result<HashSet<Uuid>> {
        let schema = self.base.quoted_schema();
        let words = self
            .keyword
            .and_then(|keyword| keyword.in_base(self.connection, self.request, self.bases, self.visible, 0));
        self.base.read(|| {
            let filter = match &words {
                Some(words) => words.filter_of_others()?,
                None => Filter::new(self.request, self.base)?,
            };
            let mut args = vec![Arg::new(ids.to_vec())];
            let conditions = filter.conditions(&schema, &mut args)?;
            let sql =
                spi::render(include_str!("passing.sql"), &[("schema", &schema), ("conditions", &conditions)]);
            let found =
                self.connection.query(&sql, Access::Read, Planning::Custom, &args, |row| row.require(1))?;
            Ok(found.into_iter().collect())
        })
    }

    fn similarities(&self, ids: &[Uuid]) -> Result<HashMap<Uuid, f64>> {
        let Some(space) = self.spaces.first().filter(|space| !space.vector.is_empty()) else {
            return Ok(HashMap::new());
        };
        let pgvector = Pgvector::find()?;
        let found =
            semantic::similarities(self.connection, &pgvector, self.base, &space.vector, ids.to_vec())?;
        Ok(found.into_iter().collect())
    }

    fn keyword_scores(&self, ids: &[Uuid]) -> Result<HashMap<Uuid, f64>> {
        let words = self
            .keyword
            .and_then(|keyword| keyword.in_base(self.connection, self.request, self.bases, self.visible, 0));
        let scores = words.map(|words| words.scores(ids.to_vec())).transpose()?.unwrap_or_default();
        Ok(scores.into_iter().collect())
    }
}

/// The chunks with their places among the results, and why.
fn reasons(
    request: &Request,
    base: &KnowledgeBase,
    thresholds: &Value,
    found: &[FoundChunk],
    rows: Vec<Row>,
) -> Result<Value> {
    if rows.is_empty() {
        let reason = if base.is_row_secured()? {
            "not found, or not visible to you"
        } else {
            "there is no such chunk or document"
        };
        return Ok(json!([{"reason": reason}]));
    }
    let place_in = |found: &[FoundChunk], id: Uuid| found.iter().position(|found| found.chunk_id == id);
    let offset = usize::try_from(request.match_offset).unwrap_or_default();
    let missing = rows.iter().any(|row| row.passes && place_in(found, row.id).is_none());
    let deep = if missing { deeper(request, base)? } else { Deep::default() };
    let explained: Vec<Value> = rows
        .iter()
        .map(|row| {
            let place = place_in(found, row.id).map(|place| place + offset);
            let deep_place = place.or_else(|| place_in(&deep.as_asked, row.id));
            let is_left_out = deep_place.is_none() && place_in(&deep.with_all, row.id).is_some();
            let threshold = thresholds["match_threshold"].as_f64();
            let is_below = row.similarity.zip(threshold).is_some_and(|(found, least)| found <= least);
            let reason = match (place, deep_place) {
                (Some(place), _) => format!("result {}", place + 1),
                _ if !row.passes => {
                    "the filter, the source type, the agent or an operator of the question excludes it"
                        .to_string()
                }
                (None, Some(place)) => {
                    format!("result {}, outside of match_offset and match_count", place + 1)
                }
                _ if is_below => "its similarity does not exceed match_threshold".to_string(),
                _ if is_left_out => "left out by max_per_document, or as a copy".to_string(),
                _ if request.mode == Mode::Semantic && !row.has_vector => "it has no vector yet".to_string(),
                _ if !row.has_vector && row.keyword_score.is_none() => {
                    "it has no vector yet, and no word of the question".to_string()
                }
                _ if request.mode == Mode::Keyword && row.keyword_score.is_none() => {
                    "it has no word of the question".to_string()
                }
                _ => format!("it is not among the first {DEEP} results"),
            };
            json!({
                "chunk_id": row.id.to_string(),
                "document_id": row.document.to_string(),
                "title": row.title,
                "source": row.source,
                "ordinal": row.ordinal,
                "rank": deep_place.map(|place| place + 1),
                "reason": reason,
                "has_vector": row.has_vector,
                "passes_filter": row.passes,
                "similarity": row.similarity,
                "keyword_score": row.keyword_score,
            })
        })
        .collect();
    Ok(Value::Array(explained))
}

/// The results of deeper searches.
#[derive(Default)]
struct Deep {
    as_asked: Vec<FoundChunk>,
    /// Without limits by document, and with copies.
    with_all: Vec<FoundChunk>,
}

fn deeper(request: &Request, base: &KnowledgeBase) -> Result<Deep> {
    let search = |max_per_document, duplicates| -> Result<Vec<FoundChunk>> {
        let request = Request {
            knowledge_base: Some(&base.name),
            knowledge_bases: None,
            agent: request.agent,
            filter: request.filter.clone(),
            query_embedding: request.query_embedding.clone(),
            match_count: DEEP,
            match_offset: 0,
            max_per_document,
            duplicates,
            window: None,
            has_snippets: false,
            ..*request
        };
        Ok(super::search(&request)?.chunks)
    };
    let as_asked = search(request.max_per_document, request.duplicates)?;
    let is_limited = request.max_per_document.is_some() || request.duplicates == super::Duplicates::Merge;
    let with_all = if is_limited { search(None, super::Duplicates::Keep)? } else { Vec::new() };
    Ok(Deep { as_asked, with_all })
}
