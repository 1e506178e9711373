//! kb_evaluate and kb_evaluate_questions.

use kb_rag_core::evaluation::statistics::{interval, mean};
use kb_rag_core::evaluation::{MEASURES, Measure, copies};
use pgrx::Uuid;
use serde_json::{Map, Value, json};

use super::arguments::Configuration;
use super::run::{Asked, Judgment, ask};
use super::{question, saved, tables};
use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::postgres::interrupt;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::Access;

/// The figures of one configuration.
pub struct Evaluated {
    pub arguments: Jsonb,
    pub questions: i64,
    pub missing: i64,
    pub without_answer: i64,
    /// In the order of [`MEASURES`]; None if no question expects anything that is there.
    pub figures: Vec<Option<f64>>,
    pub intervals: Jsonb,
    pub answered_by_mistake: i64,
    pub refused_by_mistake: i64,
    pub milliseconds: f64,
}

/// One question.
pub struct Judged {
    pub id: Uuid,
    pub text: String,
    pub weight: f64,
    pub rank: Option<i32>,
    pub found_by: Option<&'static str>,
    pub before: Option<Jsonb>,
    pub is_missing: bool,
    pub expects_nothing: bool,
    pub is_answered: bool,
    pub reciprocal_rank: Option<f64>,
    pub ndcg_10: Option<f64>,
    pub milliseconds: f64,
}

/// The base of this name, for a caller that administers it.
pub fn base_for_admin(knowledge_base: &str) -> Result<KnowledgeBase> {
    let base = base::by_name(knowledge_base, Access::Read)?;
    base.require_admin()?;
    Ok(base)
}

/// Asks the questions with a tag, or all, with each configuration; keeps the run under a name if one is given.
pub fn evaluate(
    knowledge_base: &str,
    arguments: &Value,
    tag: Option<&str>,
    save_as: Option<&str>,
) -> Result<Vec<Evaluated>> {
    let configurations = Configuration::all_of(arguments)?;
    let mut base = base_for_admin(knowledge_base)?;
    let questions = question::read(&base, tag, None)?;
    if let Some(name) = save_as {
        base = tables::of_base(knowledge_base, true)?;
        saved::require_free(&base, name)?;
    }
    let runs = ask(&base, &questions, &configurations)?;
    let evaluated = configurations
        .iter()
        .zip(&runs)
        .map(|(configuration, asked)| figures(configuration, asked))
        .collect::<Result<Vec<_>>>()?;
    if let Some(name) = save_as {
        saved::save(&base, name, tag, &configurations, &runs)?;
    }
    Ok(evaluated)
}

fn figures(configuration: &Configuration, asked: &[Asked]) -> Result<Evaluated> {
    let of = |measure: Measure| -> Vec<(f64, f64)> {
        asked.iter().filter_map(|asked| Some((asked.figures()?.of(measure), asked.weight))).collect()
    };
    let mut intervals = Map::new();
    for measure in MEASURES {
        // Copies of a question would make it narrower than what is known.
        let values = asked
            .iter()
            .filter_map(|asked| Some((&asked.copy_key, (asked.figures()?.of(measure), asked.weight))));
        let found = interval(&copies::merged(values), || {
            interrupt::check_for_interrupts();
            Ok::<_, crate::error::Error>(())
        })?;
        if let Some(found) = found {
            intervals.insert(measure.name().to_string(), json!([found.low, found.high]));
        }
    }
    let count = |which: &dyn Fn(&Asked) -> bool| asked.iter().filter(|asked| which(asked)).count() as i64;
    let time: f64 = asked.iter().map(|asked| asked.time.as_secs_f64()).sum();
    Ok(Evaluated {
        arguments: Jsonb::from_value(&configuration.object)?,
        questions: asked.len() as i64,
        missing: count(&|asked| matches!(asked.judgment, Judgment::Missing)),
        without_answer: count(&|asked| matches!(asked.judgment, Judgment::NothingExpected)),
        figures: MEASURES.into_iter().map(|measure| mean(&of(measure))).collect(),
        intervals: Jsonb::from_value(&intervals)?,
        answered_by_mistake: count(&Asked::is_answered_by_mistake),
        refused_by_mistake: count(&Asked::is_refused_by_mistake),
        milliseconds: 1e3 * time / asked.len().max(1) as f64,
    })
}

/// Asks questions with one configuration.
pub fn evaluate_questions(
    knowledge_base: &str,
    arguments: &Value,
    tag: Option<&str>,
    ids: Option<&[Uuid]>,
) -> Result<Vec<Judged>> {
    let configuration = Configuration::of(arguments)?;
    let base = base_for_admin(knowledge_base)?;
    let questions = question::read(&base, tag, ids)?;
    let asked = ask(&base, &questions, &[configuration])?.into_iter().flatten();
    asked
        .zip(questions)
        .map(|(asked, question)| {
            let figures = asked.figures().copied();
            let (found_by, before) = match &asked.judgment {
                Judgment::Expected { found_by, before, .. } => (*found_by, Some(Jsonb::from_value(before)?)),
                Judgment::Missing | Judgment::NothingExpected => (None, None),
            };
            Ok(Judged {
                id: question.id,
                text: question.text,
                weight: question.weight,
                rank: figures.and_then(|figures| i32::try_from(figures.rank?).ok()),
                found_by,
                before,
                is_missing: matches!(asked.judgment, Judgment::Missing),
                expects_nothing: matches!(asked.judgment, Judgment::NothingExpected),
                is_answered: asked.is_answered,
                reciprocal_rank: figures.map(|figures| figures.of(Measure::ReciprocalRank)),
                ndcg_10: figures.map(|figures| figures.of(Measure::Ndcg10)),
                milliseconds: asked.time.as_secs_f64() * 1e3,
            })
        })
        .collect()
}
