//! kb_compare: two configurations on the same questions.

use std::collections::HashMap;

use kb_rag_core::evaluation::statistics::{self, mean};
use kb_rag_core::evaluation::{Comparison, Figures, MEASURES, Measure, Verdict, copies, holm};
use kb_rag_core::plural::counted;
use serde_json::{Map, Value};

use super::arguments::Configuration;
use super::evaluate::base_for_admin;
use super::run::ask;
use super::saved::{self, SavedQuestion};
use super::{question, tables};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::interrupt;
use crate::postgres::jsonb::Jsonb;

/// One measure of one pair.
pub struct Compared {
    /// From 1, among the configurations in place of `b`.
    pub place: i32,
    pub arguments: Jsonb,
    pub measure: &'static str,
    pub a: Option<f64>,
    pub b: Option<f64>,
    pub comparison: Option<Comparison>,
    /// Corrected where there are several configurations.
    pub p: Option<f64>,
    pub verdict: &'static str,
}

/// A configuration with the figures of its questions.
struct Side {
    arguments: Map<String, Value>,
    figures: HashMap<String, Counted>,
}

/// A question that counts.
struct Counted {
    figures: Figures,
    weight: f64,
    /// The same for copies of it.
    copy_key: String,
}

impl Side {
    fn of(arguments: Map<String, Value>, questions: &[SavedQuestion]) -> Side {
        let figures = questions
            .iter()
            .filter_map(|question| {
                let (figures, copy_key) = (question.figures()?, question.copy_key().to_string());
                Some((question.id.clone(), Counted { figures, weight: question.weight, copy_key }))
            })
            .collect();
        Side { arguments, figures }
    }
}

/// Compares `a` with each configuration of `b`. Either is arguments, or the name of a run that was kept; `b` may be an array of them.
/// 22023 if they have no question in common.
pub fn compare(knowledge_base: &str, a: &Value, b: &Value, tag: Option<&str>) -> Result<Vec<Compared>> {
    let base = base_for_admin(knowledge_base)?;
    if !base.has_evaluations() {
        tables::require(&base)?;
    }
    let others: Vec<&Value> = match b {
        Value::Array(values) if !values.is_empty() => values.iter().collect(),
        other => vec![other],
    };
    let mut sides = sides(&base, &[&[a][..], &others[..]].concat(), tag)?;
    let first = sides.remove(0);
    let comparisons = sides.iter().map(|side| pairs(&first, side)).collect::<Result<Vec<_>>>()?;
    // With a tag, kept runs have more questions than are asked.
    if tag.is_none() {
        notify_of_left_out(&first, &sides);
    }
    let mut corrected: Vec<Vec<Option<f64>>> = Vec::new();
    for place in 0..MEASURES.len() {
        let of_measure: Vec<Option<f64>> = comparisons
            .iter()
            .map(|rows| rows.get(place).and_then(|(_, _, found)| found.as_ref()?.p))
            .collect();
        corrected.push(holm(&of_measure));
    }
    let mut rows = Vec::new();
    for (place, (side, found)) in sides.iter().zip(comparisons).enumerate() {
        for ((measure, (a, b, comparison)), corrected) in MEASURES.into_iter().zip(found).zip(&corrected) {
            let p = corrected.get(place).copied().flatten();
            let difference = comparison.as_ref().map_or(0.0, |comparison| comparison.difference);
            rows.push(Compared {
                place: i32::try_from(place + 1).unwrap_or(i32::MAX),
                arguments: Jsonb::from_value(&side.arguments)?,
                measure: measure.name(),
                a,
                b,
                comparison,
                p,
                verdict: Verdict::of(difference, p).words(),
            });
        }
    }
    Ok(rows)
}

/// The figures of configurations and kept runs.
fn sides(base: &KnowledgeBase, values: &[&Value], tag: Option<&str>) -> Result<Vec<Side>> {
    let mut sides: Vec<Option<Side>> = Vec::new();
    let mut configurations = Vec::new();
    for value in values {
        match value {
            Value::String(name) => {
                let found = saved::find(base, name)?.into_iter().next();
                let found = found.map(|saved| Side::of(saved.arguments, &saved.questions));
                sides.push(Some(
                    found.ok_or_else(|| {
                        Error::damaged(format!("evaluation \"{name}\" has no configuration"))
                    })?,
                ));
            }
            other => {
                configurations.push(Configuration::of(other)?);
                sides.push(None);
            }
        }
    }
    if configurations.is_empty() {
        return Ok(sides.into_iter().flatten().collect());
    }
    let questions = question::read(base, tag, None)?;
    let runs = ask(base, &questions, &configurations)?;
    let mut asked = configurations.into_iter().zip(runs).map(|(configuration, asked)| {
        Side::of(configuration.object, &asked.iter().map(SavedQuestion::of).collect::<Vec<_>>())
    });
    Ok(sides.into_iter().filter_map(|side| side.or_else(|| asked.next())).collect())
}

/// Notifies of questions of which only one of two sides has figures.
fn notify_of_left_out(first: &Side, others: &[Side]) {
    for (place, other) in others.iter().enumerate() {
        let both = first.figures.keys().filter(|id| other.figures.contains_key(*id)).count();
        let left_out = first.figures.len() + other.figures.len() - 2 * both;
        if left_out == 0 {
            continue;
        }
        let at = if others.len() > 1 { format!(" at place {}", place + 1) } else { String::new() };
        let is = if left_out == 1 { "is" } else { "are" };
        Error::remark(format!("{} {is} left out{at}", counted(left_out, "question")))
            .detail("Only one of the two runs has results for them.")
            .hint("Compare runs of the same questions, or keep a new one with kb_evaluate(…, save_as => …).")
            .notify();
    }
}

type Pair = (Option<f64>, Option<f64>, Option<Comparison>);

/// Each measure of a pair, over the questions that both have. Copies of a question count as one.
fn pairs(a: &Side, b: &Side) -> Result<Vec<Pair>> {
    let mut both: Vec<(&String, &Figures, &Counted)> =
        a.figures.iter().filter_map(|(id, first)| Some((id, &first.figures, b.figures.get(id)?))).collect();
    if both.is_empty() {
        return Err(Error::invalid("the two have no question in common that expects what is there")
            .hint("Compare runs of the same questions."));
    }
    // The order decides which random signs a question gets.
    both.sort_by_key(|(id, ..)| *id);
    MEASURES
        .into_iter()
        .map(|measure| {
            let of = |pick: &dyn Fn(&Figures, &Figures, Measure) -> f64| -> Vec<(f64, f64)> {
                let value = |a: &Figures, b: &Counted| (pick(a, &b.figures, measure), b.weight);
                copies::merged(both.iter().map(|(_, a, b)| (&b.copy_key, value(a, b))))
            };
            let found = statistics::compare(&of(&|a, b, m| b.of(m) - a.of(m)), || {
                interrupt::check_for_interrupts();
                Ok::<_, Error>(())
            })?;
            Ok((mean(&of(&|a, _, m| a.of(m))), mean(&of(&|_, b, m| b.of(m))), found))
        })
        .collect()
}
