//! kb_suggest: arguments that are better than the defaults, chosen on one half of the questions and checked on the other.

use kb_rag_core::evaluation::copies;
use kb_rag_core::evaluation::split::halves;
use kb_rag_core::evaluation::statistics::{MIN_QUESTIONS, compare, mean};
use serde_json::{Value, json};

use super::arguments::Configuration;
use super::evaluate::base_for_admin;
use super::question::{self, Question};
use super::run::{self, Asked};
use crate::base::{KnowledgeBase, NO_THRESHOLD};
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::interrupt;
use crate::postgres::jsonb::Jsonb;
use crate::search::{self, Mode, Request};

/// Weights of keywords and meaning that are tried with each fusion.
const WEIGHTS: [(f64, f64); 5] = [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (3.0, 1.0), (1.0, 3.0)];
/// A better threshold avoids at least this many mistakes in each half.
const MIN_AVOIDED: f64 = 1.0;

/// What it suggests.
pub struct Suggestion {
    /// Arguments for kb_search; None for the defaults.
    pub arguments: Option<Jsonb>,
    /// For kb_configure; None for the one in force.
    pub answer_threshold: Option<f64>,
    pub tried: i64,
    pub chosen_on: i64,
    pub checked_on: i64,
    /// nDCG@10 of the half that was not chosen on.
    pub default_ndcg_10: Option<f64>,
    pub suggested_ndcg_10: Option<f64>,
    pub p: Option<f64>,
    pub message: String,
}

/// Tries configurations on the questions of a base. Changes nothing.
pub fn suggest(knowledge_base: &str, tag: Option<&str>) -> Result<Suggestion> {
    model::holding(|| try_all(knowledge_base, tag))
}

fn try_all(knowledge_base: &str, tag: Option<&str>) -> Result<Suggestion> {
    let base = base_for_admin(knowledge_base)?;
    let questions = question::read(&base, tag, None)?;
    let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
    let is_first = halves(&texts);
    let configurations = candidates()?;
    let runs = run::ask(&base, &questions, &configurations)?;
    let default = runs.first().ok_or_else(|| Error::internal("no configuration was tried"))?;
    // Copies of a question count as one.
    let half = |run: &[Asked], first: bool| -> Vec<(f64, f64)> {
        let values = run
            .iter()
            .zip(&is_first)
            .filter(|(_, is_first)| **is_first == first)
            .filter_map(|(asked, _)| Some((&asked.copy_key, (asked.figures()?.ndcg_10, asked.weight))));
        copies::merged(values)
    };
    let (chosen_on, checked_on) = (half(default, true).len(), half(default, false).len());
    let mut suggestion = Suggestion {
        arguments: None,
        answer_threshold: None,
        tried: configurations.len() as i64,
        chosen_on: chosen_on as i64,
        checked_on: checked_on as i64,
        default_ndcg_10: mean(&half(default, false)),
        suggested_ndcg_10: None,
        p: None,
        message: String::new(),
    };
    let has_enough = chosen_on + checked_on >= MIN_QUESTIONS;
    if has_enough {
        let of_first = |run: &[Asked]| mean(&half(run, true)).unwrap_or_default();
        // Of equals the first, which is nearest to the defaults.
        let best = (1..runs.len()).rev().max_by(|a, b| of_first(&runs[*a]).total_cmp(&of_first(&runs[*b])));
        if let Some(best) = best
            && of_first(&runs[best]) > of_first(default)
            && mean(&half(&runs[best], false)) > suggestion.default_ndcg_10
        {
            let differences: Vec<(f64, f64)> = half(&runs[best], false)
                .iter()
                .zip(half(default, false))
                .map(|((value, weight), (other, _))| (value - other, *weight))
                .collect();
            let compared = compare(&differences, || {
                interrupt::check_for_interrupts();
                Ok::<_, Error>(())
            })?;
            suggestion.p = compared.and_then(|compared| compared.p);
            suggestion.suggested_ndcg_10 = mean(&half(&runs[best], false));
            suggestion.arguments = Some(Jsonb::from_value(&configurations[best].object)?);
        }
    }
    suggestion.answer_threshold = threshold(&base, &questions, default, &is_first)?;
    suggestion.message = message(&suggestion, has_enough);
    Ok(suggestion)
}

fn message(suggestion: &Suggestion, has_enough: bool) -> String {
    match (&suggestion.arguments, suggestion.answer_threshold) {
        (None, None) if !has_enough => {
            format!("too few to tell: {MIN_QUESTIONS} questions with an answer are needed")
        }
        (None, None) => "your defaults are fine".to_string(),
        (Some(_), None) => "better on both halves; give these arguments to your searches".to_string(),
        (None, Some(_)) => "the threshold avoids mistakes on both halves; kb_configure sets it".to_string(),
        (Some(_), Some(_)) => {
            "both are better on both halves; give the arguments to your searches, kb_configure sets the threshold".to_string()
        }
    }
}

/// What is tried; the defaults come first.
fn candidates() -> Result<Vec<Configuration>> {
    let mut objects = vec![json!({})];
    for fusion in ["relative", "rrf"] {
        for (keyword, semantic) in WEIGHTS {
            if (fusion, keyword, semantic) != ("relative", 1.0, 1.0) {
                objects
                    .push(json!({"fusion": fusion, "keyword_weight": keyword, "semantic_weight": semantic}));
            }
        }
    }
    objects.extend(["keyword", "semantic"].map(|mode| json!({"mode": mode})));
    objects.iter().map(|object: &Value| Configuration::of(object)).collect()
}

/// A question to which thresholds apply.
struct Gated {
    similarity: f64,
    weight: f64,
    has_answer: bool,
    is_answered: bool,
    is_first: bool,
}

/// An `answer_threshold` with fewer mistakes than the one in force, in both halves. None if there is none, or no question that is to
/// find nothing.
fn threshold(
    base: &KnowledgeBase,
    questions: &[Question],
    default: &[Asked],
    is_first: &[bool],
) -> Result<Option<f64>> {
    if questions.iter().all(|question| !question.expects_nothing()) {
        return Ok(None);
    }
    let mut gated = Vec::new();
    for ((question, asked), is_first) in questions.iter().zip(default).zip(is_first) {
        let has_answer = asked.figures().is_some();
        if !has_answer && !question.expects_nothing() {
            continue;
        }
        interrupt::check_for_interrupts();
        if let Some(similarity) = run::quietly(&mut || best_similarity(base, question))? {
            gated.push(Gated {
                similarity,
                weight: question.weight,
                has_answer,
                is_answered: asked.is_answered,
                is_first: *is_first,
            });
        }
    }
    Ok(best_threshold(&gated))
}

fn best_similarity(base: &KnowledgeBase, question: &Question) -> Result<Option<f64>> {
    let request = Request {
        knowledge_base: Some(&base.name),
        agent: question.agent,
        mode: Mode::Semantic,
        match_count: 1,
        filter: Some(question.filter.clone()),
        match_threshold: Some(NO_THRESHOLD),
        ..Request::new(&question.text)
    };
    Ok(search::search(&request)?.chunks.first().and_then(|found| found.similarity))
}

fn best_threshold(gated: &[Gated]) -> Option<f64> {
    let present = |first: bool| -> f64 {
        let half = gated.iter().filter(|gated| gated.is_first == first);
        half.filter(|gated| gated.is_answered != gated.has_answer).map(|gated| gated.weight).sum()
    };
    let mistakes = |first: bool, threshold: f64| -> f64 {
        let half = gated.iter().filter(|gated| gated.is_first == first);
        half.filter(|gated| (gated.similarity > threshold) != gated.has_answer)
            .map(|gated| gated.weight)
            .sum()
    };
    let mut similarities: Vec<f64> =
        gated.iter().filter(|gated| gated.is_first).map(|gated| gated.similarity).collect();
    similarities.sort_by(f64::total_cmp);
    let between = similarities.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    // Two digits are as much as a few questions tell.
    let candidates = between.map(|threshold| (threshold * 100.0).round() / 100.0);
    let best = candidates.min_by(|a, b| mistakes(true, *a).total_cmp(&mistakes(true, *b)))?;
    let avoids = |first: bool| present(first) - mistakes(first, best) >= MIN_AVOIDED;
    (avoids(true) && avoids(false)).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gated(similarity: f64, has_answer: bool, is_answered: bool, is_first: bool) -> Gated {
        Gated { similarity, weight: 1.0, has_answer, is_answered, is_first }
    }

    #[test]
    fn a_threshold_avoids_mistakes_in_both_halves() {
        let mut questions: Vec<Gated> = Vec::new();
        for is_first in [true, false] {
            questions.push(gated(0.2, false, true, is_first));
            questions.push(gated(0.6, true, true, is_first));
        }
        assert_eq!(best_threshold(&questions), Some(0.4));
        questions[3].similarity = 0.1;
        assert_eq!(best_threshold(&questions), None, "it refuses what has an answer in the other half");
        questions.iter_mut().for_each(|question| question.is_answered = question.has_answer);
        questions[3].similarity = 0.6;
        assert_eq!(best_threshold(&questions), None, "there is no mistake to avoid");
        assert_eq!(best_threshold(&[]), None);
    }
}
