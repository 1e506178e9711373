//! What a run found: the figures, and those of each question.

use std::convert::Infallible;

use kb_rag_core::evaluation::statistics::{Weighted, interval, mean};
use kb_rag_core::evaluation::{Figures, Interval, MEASURES, Measure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What files of `--save` are, and their version.
pub const FORMAT: &str = "kb-rag evaluate 1";

/// What became of a question. Also read from runs that kb_evaluate kept, which have less.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    pub id: String,
    /// The question.
    #[serde(default)]
    pub question: Option<String>,
    /// The SHA-256 of what it expects.
    #[serde(default)]
    pub expected: Option<String>,
    pub weight: f64,
    pub rank: Option<usize>,
    pub ndcg_10: Option<f64>,
    #[serde(default)]
    pub found_by: Option<String>,
    pub missing: bool,
    #[serde(default)]
    pub expects_nothing: bool,
    pub answered: bool,
    #[serde(default)]
    pub milliseconds: f64,
}

impl Answer {
    /// Its figures; None if what it expects is missing, or it is to find nothing.
    pub fn figures(&self) -> Option<Figures> {
        Some(Figures { rank: self.rank, ndcg_10: self.ndcg_10? })
    }

    /// Why it failed; None if it did not.
    pub fn mistake(&self) -> Option<&'static str> {
        if self.expects_nothing && self.answered {
            return Some("it is to find nothing, and is answered");
        }
        let figures = self.figures()?;
        figures.rank.is_none().then_some("what it expects is not among the results")
    }
}

/// A run with one set of arguments.
#[derive(Clone, Debug)]
pub struct Run {
    pub base: String,
    pub model: String,
    pub tag: Option<String>,
    pub arguments: Map<String, Value>,
    pub answers: Vec<Answer>,
}

/// A figure of a run.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    pub measure: Measure,
    /// None if no question counts.
    pub value: Option<f64>,
    pub interval: Option<Interval>,
}

impl Run {
    pub fn figures(&self) -> Vec<Figure> {
        MEASURES
            .into_iter()
            .map(|measure| {
                let values: Vec<Weighted> = self
                    .answers
                    .iter()
                    .filter_map(|answer| Some((answer.figures()?.of(measure), answer.weight)))
                    .collect();
                let Ok(interval) = interval(&values, || Ok::<_, Infallible>(()));
                Figure { measure, value: mean(&values), interval }
            })
            .collect()
    }

    pub fn missing(&self) -> usize {
        self.count(|answer| answer.missing)
    }

    pub fn without_answer(&self) -> usize {
        self.count(|answer| answer.expects_nothing)
    }

    pub fn answered_by_mistake(&self) -> usize {
        self.count(|answer| answer.expects_nothing && answer.answered)
    }

    pub fn refused_by_mistake(&self) -> usize {
        self.count(|answer| answer.figures().is_some() && !answer.answered)
    }

    /// The mean time of a search.
    pub fn milliseconds(&self) -> f64 {
        let sum: f64 = self.answers.iter().map(|answer| answer.milliseconds).sum();
        sum / self.answers.len().max(1) as f64
    }

    fn count(&self, which: impl Fn(&Answer) -> bool) -> usize {
        self.answers.iter().filter(|answer| which(answer)).count()
    }

    /// As `--save` and `--json` write it.
    pub fn to_json(&self, figures: &[Figure]) -> Value {
        let figures: Map<String, Value> = figures
            .iter()
            .map(|figure| {
                let (low, high) = (figure.interval.map(|i| i.low), figure.interval.map(|i| i.high));
                let value = json!({"value": figure.value, "low": low, "high": high});
                (figure.measure.name().to_string(), value)
            })
            .collect();
        json!({
            "format": FORMAT,
            "kb_rag": env!("CARGO_PKG_VERSION"),
            "knowledge_base": self.base,
            "model": self.model,
            "tag": self.tag,
            "arguments": self.arguments,
            "questions": self.answers.len(),
            "missing": self.missing(),
            "without_answer": self.without_answer(),
            "figures": figures,
            "answered_by_mistake": self.answered_by_mistake(),
            "refused_by_mistake": self.refused_by_mistake(),
            "milliseconds": self.milliseconds(),
            "each": self.answers,
        })
    }
}
