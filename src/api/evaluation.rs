//! kb_question_add, kb_question_draft, kb_evaluate, kb_evaluate_questions, kb_compare, kb_suggest.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::Value;

use super::argument::required;
use crate::cluster::here_or_there;
use crate::error::{Error, Result};
use crate::evaluation::{self, NewQuestion};
use crate::postgres::call::Call;
use crate::postgres::jsonb::Jsonb;
use crate::queue;

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn kb_question_add(
    call: Call,
    knowledge_base: Option<&str>,
    question: Option<&str>,
    expected_keys: default!(Option<Vec<Option<String>>>, "'{}'"),
    expected_documents: default!(Option<Vec<Option<Uuid>>>, "'{}'"),
    expected_texts: default!(Option<Vec<Option<String>>>, "'{}'"),
    filter: default!(Option<Jsonb>, "'{}'"),
    agent_id: default!(Option<Uuid>, "NULL"),
    tags: default!(Option<Vec<Option<String>>>, "'{}'"),
    weight: default!(Option<f64>, "1"),
) -> Result<Uuid, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        let has_null = expected_keys.is_none() || expected_documents.is_none() || expected_texts.is_none();
        let new = NewQuestion {
            text: required(question, "question")?,
            keys: elements(expected_keys, "expected_keys")?,
            documents: elements(expected_documents, "expected_documents")?,
            texts: elements(expected_texts, "expected_texts")?,
            filter: filter.unwrap_or_default(),
            agent: agent_id,
            tags: elements(tags, "tags")?,
            weight: weight.unwrap_or(1.0),
            is_draft: false,
            has_null,
        };
        evaluation::add(required(knowledge_base, "knowledge_base")?, new)
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn kb_question_draft(
    call: Call,
    knowledge_base: Option<&str>,
    question_count: default!(Option<i32>, "20"),
    use_chat_model: default!(Option<bool>, "false"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(question_id, Uuid),
            name!(question, String),
            name!(kind, String),
            name!(source, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let count = question_count.unwrap_or(evaluation::DEFAULT_DRAFTS);
        let name = required(knowledge_base, "knowledge_base")?;
        let made = evaluation::draft(name, count, use_chat_model.unwrap_or_default())?;
        Ok(made
            .into_iter()
            .map(|made| (made.id, made.question, made.kind.to_string(), made.source))
            .collect::<Vec<_>>())
    })?;
    Ok(TableIterator::new(rows))
}

/// The elements of an array; none for NULL. 22004 for a NULL among them.
fn elements<T>(values: Option<Vec<Option<T>>>, name: &str) -> Result<Vec<T>> {
    let values: Option<Vec<T>> = values.unwrap_or_default().into_iter().collect();
    values.ok_or_else(|| {
        Error::null_value(format!("{name} has a null element")).hint("Leave it out of the array.")
    })
}

/// The arguments of searches. 22023 if they hold numbers or levels that cannot be read.
fn parsed(arguments: Option<Jsonb>, name: &str) -> Result<Value> {
    let Some(arguments) = arguments else { return Ok(Value::Object(serde_json::Map::new())) };
    arguments.check_size(name)?;
    arguments.value().ok_or_else(|| {
        Error::invalid(format!("argument \"{name}\" cannot be read"))
            .hint("Write an object of kb_search's arguments by name.")
    })
}

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn kb_evaluate(
    call: Call,
    knowledge_base: Option<&str>,
    arguments: default!(Option<Jsonb>, "'{}'"),
    tag: default!(Option<&str>, "NULL"),
    save_as: default!(Option<&str>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(place, i32),
            name!(arguments, Jsonb),
            name!(questions, i64),
            name!(missing, i64),
            name!(without_answer, i64),
            name!(first_hit, Option<f64>),
            name!(hits_5, Option<f64>),
            name!(hits_k, Option<f64>),
            name!(mrr, Option<f64>),
            name!(ndcg_10, Option<f64>),
            name!(intervals, Jsonb),
            name!(answered_by_mistake, i64),
            name!(refused_by_mistake, i64),
            name!(milliseconds, f64),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let arguments = parsed(arguments, "arguments")?;
        let name = required(knowledge_base, "knowledge_base")?;
        let found = evaluation::evaluate(name, &arguments, tag, save_as)?;
        Ok((1i32..)
            .zip(found)
            .map(|(place, found)| {
                let figure = |at: usize| found.figures.get(at).copied().flatten();
                let figures = [figure(0), figure(1), figure(2), figure(3), figure(4)];
                let [first_hit, hits_5, hits_k, mrr, ndcg_10] = figures;
                (
                    place,
                    found.arguments,
                    found.questions,
                    found.missing,
                    found.without_answer,
                    first_hit,
                    hits_5,
                    hits_k,
                    mrr,
                    ndcg_10,
                    found.intervals,
                    found.answered_by_mistake,
                    found.refused_by_mistake,
                    found.milliseconds,
                )
            })
            .collect::<Vec<_>>())
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn kb_evaluate_questions(
    call: Call,
    knowledge_base: Option<&str>,
    arguments: default!(Option<Jsonb>, "'{}'"),
    tag: default!(Option<&str>, "NULL"),
    question_ids: default!(Option<Vec<Option<Uuid>>>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(question_id, Uuid),
            name!(question, String),
            name!(weight, f64),
            name!(rank, Option<i32>),
            name!(found_by, Option<String>),
            name!(before, Option<Jsonb>),
            name!(missing, bool),
            name!(expects_nothing, bool),
            name!(answered, bool),
            name!(mrr, Option<f64>),
            name!(ndcg_10, Option<f64>),
            name!(milliseconds, f64),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let arguments = parsed(arguments, "arguments")?;
        let ids = question_ids.map(|ids| elements(Some(ids), "question_ids")).transpose()?;
        let name = required(knowledge_base, "knowledge_base")?;
        let found = evaluation::evaluate_questions(name, &arguments, tag, ids.as_deref())?;
        Ok(found
            .into_iter()
            .map(|found| {
                (
                    found.id,
                    found.text,
                    found.weight,
                    found.rank,
                    found.found_by.map(str::to_string),
                    found.before,
                    found.is_missing,
                    found.expects_nothing,
                    found.is_answered,
                    found.reciprocal_rank,
                    found.ndcg_10,
                    found.milliseconds,
                )
            })
            .collect::<Vec<_>>())
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn kb_compare(
    call: Call,
    knowledge_base: Option<&str>,
    a: Option<Jsonb>,
    b: Option<Jsonb>,
    tag: default!(Option<&str>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(place, i32),
            name!(arguments, Jsonb),
            name!(measure, String),
            name!(a, Option<f64>),
            name!(b, Option<f64>),
            name!(difference, Option<f64>),
            name!(low, Option<f64>),
            name!(high, Option<f64>),
            name!(won, Option<i64>),
            name!(lost, Option<i64>),
            name!(even, Option<i64>),
            name!(p, Option<f64>),
            name!(verdict, String),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let (a, b) = (parsed(Some(required(a, "a")?), "a")?, parsed(Some(required(b, "b")?), "b")?);
        let found = evaluation::compare(required(knowledge_base, "knowledge_base")?, &a, &b, tag)?;
        Ok(found
            .into_iter()
            .map(|found| {
                let c = found.comparison;
                (
                    found.place,
                    found.arguments,
                    found.measure.to_string(),
                    found.a,
                    found.b,
                    c.map(|c| c.difference),
                    c.map(|c| c.interval.low),
                    c.map(|c| c.interval.high),
                    c.map(|c| c.won as i64),
                    c.map(|c| c.lost as i64),
                    c.map(|c| c.even as i64),
                    found.p,
                    found.verdict.to_string(),
                )
            })
            .collect::<Vec<_>>())
    })?;
    Ok(TableIterator::new(rows))
}

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn kb_suggest(
    call: Call,
    knowledge_base: Option<&str>,
    tag: default!(Option<&str>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(arguments, Option<Jsonb>),
            name!(answer_threshold, Option<f64>),
            name!(tried, i64),
            name!(chosen_on, i64),
            name!(checked_on, i64),
            name!(default_ndcg_10, Option<f64>),
            name!(suggested_ndcg_10, Option<f64>),
            name!(p, Option<f64>),
            name!(message, String),
        ),
    >,
    ErrorReport,
> {
    let rows = here_or_there(call, || {
        queue::wake_if_idle();
        let found = evaluation::suggest(required(knowledge_base, "knowledge_base")?, tag)?;
        Ok(vec![(
            found.arguments,
            found.answer_threshold,
            found.tried,
            found.chosen_on,
            found.checked_on,
            found.default_ndcg_10,
            found.suggested_ndcg_10,
            found.p,
            found.message,
        )])
    })?;
    Ok(TableIterator::new(rows))
}
