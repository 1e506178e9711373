//! What the user sees of a run.

use kb_rag_core::evaluation::Verdict;
use serde_json::{Map, Value};

use super::compare::Compared;
use super::run::{Figure, Run};
use crate::error::shown;
use crate::output;

/// The figures with their intervals, and the counts.
pub fn figures(run: &Run, figures: &[Figure]) {
    output::line(&format!("knowledge base {}, arguments {}", shown(&run.base), json(&run.arguments)));
    output::line("figure      value  95 % interval");
    for Figure { measure, value, interval } in figures {
        let value = value.map_or("-".to_string(), |value| format!("{value:.4}"));
        let interval = interval.map(|i| format!("  {:.4} to {:.4}", i.low, i.high)).unwrap_or_default();
        output::line(&format!("{:<10} {value:>6}{interval}", measure.name()));
    }
    output::line(&format!(
        "{} questions: {} missing, {} without an answer, {} answered by mistake, {} refused by mistake; {:.1} ms a search",
        run.answers.len(),
        run.missing(),
        run.without_answer(),
        run.answered_by_mistake(),
        run.refused_by_mistake(),
        run.milliseconds()
    ));
}

/// How it compares with the other run.
pub fn comparison(compared: &Compared) {
    output::line("");
    output::line(&format!("{}; arguments there {}", shown(&compared.sum()), json(&compared.arguments)));
    output::line(
        "figure      there    here  difference  95 % interval         won  lost  even       p  verdict",
    );
    for row in &compared.rows {
        let c = &row.comparison;
        let p = c.p.map_or("-".to_string(), |p| format!("{p:.4}"));
        output::line(&format!(
            "{:<10} {:>6.4}  {:>6.4}  {:>+10.4}  {:>+.4} to {:>+.4}  {:>4}  {:>4}  {:>4}  {p:>6}  {}",
            row.measure.name(),
            row.a,
            row.b,
            c.difference,
            c.interval.low,
            c.interval.high,
            c.won,
            c.lost,
            c.even,
            words(row.verdict)
        ));
    }
}

/// The questions that failed, on standard error.
pub fn mistakes(run: &Run) {
    for answer in &run.answers {
        let why = if answer.missing { Some("what it expects is not there") } else { answer.mistake() };
        if let Some(why) = why {
            let question = answer.question.as_deref().unwrap_or(&answer.id);
            output::error(&format!("question \"{}\": {why}", shown(question)));
        }
    }
}

/// a is the other run.
fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Worse => "worse than there",
        Verdict::Better => "better than there",
        other => other.words(),
    }
}

fn json(arguments: &Map<String, Value>) -> String {
    Value::Object(arguments.clone()).to_string()
}
