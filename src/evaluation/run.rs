//! Searching for questions, one after the other, with the caller's privileges.

use std::time::{Duration, Instant};

use kb_rag_core::evaluation::Figures;
use kb_rag_core::provider::batch;
use pgrx::Uuid;
use serde::Serialize;

use super::arguments::Configuration;
use super::expected::Expected;
use super::question::Question;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::guc;
use crate::postgres::interrupt;
use crate::search::{self, FoundChunk};

/// Results shown that came before the right one.
const MAX_BEFORE: usize = 10;

/// What became of a question.
pub struct Asked {
    pub question: Uuid,
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
    announce(base, questions)?;
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

/// Says what a remote model is asked before anything is spent.
fn announce(base: &KnowledgeBase, questions: &[Question]) -> Result<()> {
    let name = &base.settings.space.model;
    let Some(provider) = model::provider_of(name)? else { return Ok(()) };
    let kind = provider.embedding()?;
    let tokens: u64 = questions.iter().map(|question| batch::estimate_tokens(&question.text)).sum();
    let cost = match provider.price_of(kind, name.model()) {
        Some(price) => format!("{:.6}", price * tokens as f64 / 1e6),
        None => "unknown".to_string(),
    };
    let count = questions.len();
    Error::remark(format!(
        "at most {count} questions are embedded by \"{name}\": {count} calls, about {tokens} tokens, cost {cost}"
    ))
    .hint("Questions whose vectors are kept from earlier searches are not sent again.")
    .notify();
    Ok(())
}
