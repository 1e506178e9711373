//! Searching for questions, one after the other, with the caller's privileges.

use std::time::{Duration, Instant};

use kb_rag_core::evaluation::Figures;
use kb_rag_core::plural::counted;
use pgrx::Uuid;
use serde::Serialize;

use super::arguments::Configuration;
use super::expected::Expected;
use super::question::Question;
use crate::base::{Embed, KnowledgeBase};
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::guc;
use crate::postgres::interrupt;
use crate::postgres::spi::{self, Access, Arg};
use crate::queue;
use crate::search::{self, FoundChunk};

/// Results shown that came before the right one.
const MAX_BEFORE: usize = 10;

/// At most so many documents are looked at for chunks without a vector.
const MAX_LACKING: i64 = 10_000;

/// What became of a question.
pub struct Asked {
    pub question: Uuid,
    /// [`Question::copy_key`].
    pub copy_key: String,
    pub weight: f64,
    pub judgment: Judgment,
    /// Whether kb_context and the tools give anything for it, by the thresholds in force.
    pub is_answered: bool,
    /// How long the search took, without the time of models.
    pub time: Duration,
}

/// How its results compare with what it expects.
pub enum Judgment {
    /// Nothing that it expects is there, or visible to the caller.
    Missing,
    /// It is to find nothing.
    NothingExpected,
    /// The figures, what found the first right result, and the results before that.
    Expected { figures: Figures, found_by: Option<&'static str>, before: Vec<Before> },
}

/// A result before the right one.
#[derive(Serialize)]
pub struct Before {
    chunk_id: String,
    document_id: String,
    title: Option<String>,
    source: Option<String>,
}

impl Asked {
    /// Its figures; None if it is missing, or is to find nothing.
    pub fn figures(&self) -> Option<&Figures> {
        match &self.judgment {
            Judgment::Expected { figures, .. } => Some(figures),
            Judgment::Missing | Judgment::NothingExpected => None,
        }
    }

    /// Whether it got an answer though it is to find nothing.
    pub fn is_answered_by_mistake(&self) -> bool {
        matches!(self.judgment, Judgment::NothingExpected) && self.is_answered
    }

    /// Whether it got no answer though there is one.
    pub fn is_refused_by_mistake(&self) -> bool {
        self.figures().is_some() && !self.is_answered
    }
}

/// Asks all questions with each configuration.
pub fn ask(
    base: &KnowledgeBase,
    questions: &[Question],
    configurations: &[Configuration],
) -> Result<Vec<Vec<Asked>>> {
    notify_of_lacking(base, questions, configurations)?;
    model::holding(|| {
        embed(base, questions, configurations)?;
        ask_each(base, questions, configurations)
    })
}

fn ask_each(
    base: &KnowledgeBase,
    questions: &[Question],
    configurations: &[Configuration],
) -> Result<Vec<Vec<Asked>>> {
    let mut expected = Expected::of(base, questions)?;
    let mut is_first = true;
    configurations
        .iter()
        .map(|configuration| {
            questions
                .iter()
                .map(|question| {
                    interrupt::check_for_interrupts();
                    let mut work = || ask_one(base, &mut expected, question, configuration);
                    // The first search may say what is wrong with the base; the others need not repeat it.
                    if std::mem::take(&mut is_first) { work() } else { quietly(&mut work) }.map_err(|error| {
                        error.preceded_by(&format!("question {} cannot be asked", question.id))
                    })
                })
                .collect()
        })
        .collect()
}

/// Runs work without its notices.
pub fn quietly<T>(work: &mut dyn FnMut() -> Result<T>) -> Result<T> {
    guc::with_settings(&[(c"client_min_messages", c"error")], work)
}

fn ask_one(
    base: &KnowledgeBase,
    expected: &mut Expected,
    question: &Question,
    configuration: &Configuration,
) -> Result<Asked> {
    let began = Instant::now();
    let found = search::search(&configuration.search(question, &base.name)?)?;
    let time = began.elapsed().saturating_sub(found.embedding_time);
    let is_answered = quietly(&mut || {
        Ok(!search::search(&configuration.answer(question, &base.name)?)?.chunks.is_empty())
    })?;
    Ok(Asked {
        question: question.id,
        copy_key: question.copy_key(),
        weight: question.weight,
        judgment: judge(base, expected, question, &found.chunks)?,
        is_answered,
        time,
    })
}

fn judge(
    base: &KnowledgeBase,
    expected: &mut Expected,
    question: &Question,
    results: &[FoundChunk],
) -> Result<Judgment> {
    if question.expects_nothing() {
        return Ok(Judgment::NothingExpected);
    }
    let found = expected.ranks(base, question, results)?;
    if found.is_empty() {
        return Ok(Judgment::Missing);
    }
    let figures = Figures::of_ranks(&found.iter().map(|found| found.rank).collect::<Vec<_>>());
    let place = found.iter().filter_map(|found| found.place).min();
    let found_by = place.and_then(|place| results.get(place)).map(arm);
    let before = results.iter().take(place.unwrap_or(usize::MAX).min(MAX_BEFORE)).map(Before::of).collect();
    Ok(Judgment::Expected { figures, found_by, before })
}

/// Which arm of the search found a result.
fn arm(found: &FoundChunk) -> &'static str {
    match (found.keyword_rank, found.semantic_rank) {
        (Some(_), Some(_)) => "both",
        (Some(_), None) => "keyword",
        (None, _) => "semantic",
    }
}

impl Before {
    fn of(found: &FoundChunk) -> Before {
        Before {
            chunk_id: found.chunk_id.to_string(),
            document_id: found.document_id.to_string(),
            title: found.title.clone(),
            source: found.source.clone(),
        }
    }
}

/// Notifies of chunks that have no vector yet, or failed to get one, if a search would compare vectors.
fn notify_of_lacking(
    base: &KnowledgeBase,
    questions: &[Question],
    configurations: &[Configuration],
) -> Result<()> {
    let Some(question) = questions.first().filter(|_| base.settings.embed != Embed::Off) else {
        return Ok(());
    };
    let mut uses_vectors = false;
    for configuration in configurations {
        uses_vectors |= configuration.search(question, &base.name)?.embeds_query();
    }
    if !uses_vectors {
        return Ok(());
    }
    let documents = queue::lacking_vectors(base.id, MAX_LACKING)?;
    if documents.is_empty() {
        return Ok(());
    }
    let least = if documents.len() as i64 == MAX_LACKING { "at least " } else { "" };
    let sql = spi::render(include_str!("count_lacking.sql"), &[("schema", &base.quoted_schema())]);
    let lacking = base.read(|| {
        spi::connect(|c| c.query_one(&sql, Access::Read, &[Arg::new(documents)], |row| row.require::<i64>(1)))
    })?;
    let Some(lacking @ 1..) = lacking else { return Ok(()) };
    let have = if lacking == 1 { "has" } else { "have" };
    Error::remark(format!(
        "{least}{} of knowledge base \"{}\" {have} no vector yet",
        counted(usize::try_from(lacking).unwrap_or_default(), "chunk"),
        base.name
    ))
    .hint("Searches by meaning do not find them. See kb_rag.status for progress.")
    .notify();
    Ok(())
}

/// Embeds the questions by a remote model, after a notice that says what that costs. An error of the model ends the evaluation: its
/// figures would be those of keywords alone.
fn embed(base: &KnowledgeBase, questions: &[Question], configurations: &[Configuration]) -> Result<()> {
    let space = &base.settings.space;
    if !space.model.is_remote() {
        return Ok(());
    }
    let mut texts: Vec<String> = Vec::new();
    for question in questions {
        for configuration in configurations {
            for request in
                [configuration.search(question, &base.name)?, configuration.answer(question, &base.name)?]
            {
                texts.extend(request.embeds_query().then(|| request.embedded_query().into_owned()));
            }
        }
    }
    texts.sort_unstable();
    texts.dedup();
    let model = model::resolve_as(&space.model, base.owner_role()?)?;
    let Some(new) = model.questions(texts, space.dimensions)? else { return Ok(()) };
    if new.texts.is_empty() {
        return Ok(());
    }
    let cost = new.cost.map_or("unknown".to_string(), |cost| format!("{cost:.6}"));
    Error::remark(format!(
        "embedding {} with \"{}\" takes {} of about {}, cost {cost}",
        counted(new.texts.len(), "question"),
        space.model,
        counted(new.calls, "call"),
        counted(new.tokens, "token"),
    ))
    .hint("Questions whose vectors are kept from earlier searches are not sent again.")
    .notify();
    model.embed_questions(&new, space.dimensions, (base.id, &base.name))
}
