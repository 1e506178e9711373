//! Two runs on the same questions.

use std::collections::HashMap;
use std::convert::Infallible;

use kb_rag_core::evaluation::statistics::{self, Weighted, mean};
use kb_rag_core::evaluation::{Comparison, Figures, MEASURES, Measure, Verdict};
use serde_json::{Map, Value, json};

use super::run::Answer;

/// The other run.
#[derive(Clone, Debug)]
pub struct Other {
    /// The file, or the name.
    pub name: String,
    pub arguments: Map<String, Value>,
    pub answers: Vec<Answer>,
}

/// How a run compares with the other one.
#[derive(Debug)]
pub struct Compared {
    pub other: String,
    pub arguments: Map<String, Value>,
    /// Questions that have figures in both.
    pub questions: usize,
    /// Questions of the other run alone.
    pub gone: usize,
    /// Questions of this run alone.
    pub new: usize,
    /// Questions whose text or expectations differ; they are not compared.
    pub changed: usize,
    /// Questions that both have, without figures in one of them, since what they expect is missing there.
    pub missing: usize,
    pub rows: Vec<Row>,
}

/// One measure.
#[derive(Debug)]
pub struct Row {
    pub measure: Measure,
    pub a: f64,
    pub b: f64,
    pub comparison: Comparison,
    pub verdict: Verdict,
}

type Pair = (Figures, Figures, f64);

/// Compares the other run, a, with this one, b.
pub fn compare(other: &Other, answers: &[Answer]) -> Compared {
    let partners = partners(&other.answers, answers);
    let mut compared = Compared {
        other: other.name.clone(),
        arguments: other.arguments.clone(),
        questions: 0,
        gone: other.answers.len() - partners.iter().flatten().count(),
        new: partners.iter().filter(|partner| partner.is_none()).count(),
        changed: 0,
        missing: 0,
        rows: Vec::new(),
    };
    let mut pairs: Vec<Pair> = Vec::new();
    for (b, partner) in answers.iter().zip(partners) {
        let Some(a) = partner.and_then(|place| other.answers.get(place)) else { continue };
        if is_changed(a, b) {
            compared.changed += 1;
        } else if let (Some(first), Some(second)) = (a.figures(), b.figures()) {
            pairs.push((first, second, b.weight));
        } else if a.missing || b.missing || a.figures().is_some() || b.figures().is_some() {
            compared.missing += 1;
        }
    }
    compared.questions = pairs.len();
    compared.rows = MEASURES.into_iter().filter_map(|measure| row(measure, &pairs)).collect();
    compared
}

/// The place in `a` of the partner of each of `b`: that of its id, else one of the same text that no other has, best with the same
/// expectations.
fn partners(a: &[Answer], b: &[Answer]) -> Vec<Option<usize>> {
    let ids: HashMap<&str, usize> = a.iter().enumerate().map(|(place, a)| (a.id.as_str(), place)).collect();
    let mut partners: Vec<Option<usize>> = b.iter().map(|b| ids.get(b.id.as_str()).copied()).collect();
    let mut is_free = vec![true; a.len()];
    for place in partners.iter().flatten() {
        is_free[*place] = false;
    }
    for with_expectations in [true, false] {
        let key = |answer: &Answer| {
            let expected = answer.expected.clone().filter(|_| with_expectations);
            answer.question.clone().map(|text| (text, expected))
        };
        let mut free: HashMap<_, Vec<usize>> = HashMap::new();
        for (place, a) in a.iter().enumerate().rev().filter(|(place, _)| is_free[*place]) {
            if let Some(key) = key(a) {
                free.entry(key).or_default().push(place);
            }
        }
        for (partner, b) in partners.iter_mut().zip(b).filter(|(partner, _)| partner.is_none()) {
            *partner = key(b).and_then(|key| free.get_mut(&key)?.pop());
            if let Some(place) = partner {
                is_free[*place] = false;
            }
        }
    }
    partners
}

/// Whether a question is another one now. A run that kb_evaluate kept knows neither.
fn is_changed(a: &Answer, b: &Answer) -> bool {
    let differ = |a: &Option<String>, b: &Option<String>| a.is_some() && b.is_some() && a != b;
    differ(&a.question, &b.question) || differ(&a.expected, &b.expected)
}

fn row(measure: Measure, pairs: &[Pair]) -> Option<Row> {
    let of = |pick: &dyn Fn(&Pair) -> f64| -> Vec<Weighted> {
        pairs.iter().map(|pair| (pick(pair), pair.2)).collect()
    };
    let differences = of(&|(a, b, _)| b.of(measure) - a.of(measure));
    let Ok(comparison) = statistics::compare(&differences, || Ok::<_, Infallible>(()));
    let comparison = comparison?;
    let (a, b) = (mean(&of(&|(a, ..)| a.of(measure)))?, mean(&of(&|(_, b, _)| b.of(measure)))?);
    Some(Row { measure, a, b, comparison, verdict: Verdict::of(comparison.difference, comparison.p) })
}

impl Compared {
    /// Why this run fails; None if it does not.
    pub fn failure(&self) -> Option<String> {
        let ndcg = self.rows.iter().find(|row| row.measure == Measure::Ndcg10);
        let Some(ndcg) = ndcg else {
            return Some(format!("no question can be compared with {}", self.other));
        };
        (ndcg.verdict == Verdict::Worse).then(|| {
            format!(
                "ndcg_10 is {:.4}, and was {:.4} in {} (p = {:.4})",
                ndcg.b,
                ndcg.a,
                self.other,
                ndcg.comparison.p.unwrap_or_default()
            )
        })
    }

    /// What was compared, in one line.
    pub fn sum(&self) -> String {
        let Compared { other, questions, gone, new, changed, missing, .. } = self;
        format!(
            "compared with {other}: {questions} questions; not compared: {gone} only there, {new} only here, {changed} changed, \
             {missing} whose answer is missing in one"
        )
    }

    /// As `--save` and `--json` write it.
    pub fn to_json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let Comparison { difference, interval, won, lost, even, p } = row.comparison;
                json!({
                    "measure": row.measure.name(), "a": row.a, "b": row.b, "difference": difference,
                    "low": interval.low, "high": interval.high, "won": won, "lost": lost, "even": even, "p": p,
                    "verdict": row.verdict.words(),
                })
            })
            .collect();
        json!({
            "against": self.other, "arguments": self.arguments, "questions": self.questions, "only_there": self.gone,
            "only_here": self.new, "changed": self.changed, "missing": self.missing, "measures": rows,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: &str, text: &str, expected: &str, rank: Option<usize>) -> Answer {
        let known = |text: &str| (!text.is_empty()).then(|| text.to_string());
        Answer {
            id: id.to_string(),
            question: known(text),
            expected: known(expected),
            weight: 1.0,
            rank,
            ndcg_10: Some(Figures::of_ranks(&[rank]).ndcg_10),
            answered: true,
            ..Answer::default()
        }
    }

    fn compared(a: Vec<Answer>, b: &[Answer]) -> Compared {
        compare(&Other { name: "old".to_string(), arguments: Map::new(), answers: a }, b)
    }

    #[test]
    fn questions_are_matched_by_id_else_by_text() {
        let a = vec![
            answer("1", "one", "x", Some(1)),
            answer("2", "two", "x", Some(1)),
            answer("3", "three", "x", Some(1)),
            answer("4", "three", "y", Some(1)),
            answer("5", "five", "x", Some(1)),
            answer("6", "six", "x", Some(1)),
        ];
        let b = [
            answer("1", "one", "x", Some(1)),
            answer("2", "two, in other words", "x", Some(1)),
            answer("30", "three", "y", Some(1)),
            answer("31", "three", "x", Some(1)),
            answer("50", "five", "z", Some(1)),
            answer("70", "seven", "x", Some(1)),
        ];
        let found = compared(a, &b);
        let counts = (found.questions, found.gone, found.new, found.changed, found.missing);
        assert_eq!(counts, (3, 1, 1, 2, 0), "{found:?}");
    }

    #[test]
    fn a_kept_run_is_matched_by_id_alone() {
        let found = compared(vec![answer("1", "", "", Some(2))], &[answer("1", "one", "x", Some(1))]);
        assert_eq!((found.questions, found.changed), (1, 0));
    }

    #[test]
    fn what_is_missing_in_one_is_counted() {
        let gone = Answer { ndcg_10: None, rank: None, missing: true, ..answer("1", "one", "x", None) };
        let found = compared(vec![answer("1", "one", "x", Some(1))], std::slice::from_ref(&gone));
        assert_eq!((found.questions, found.missing), (0, 1));
        assert_eq!(found.failure().as_deref(), Some("no question can be compared with old"));
    }

    #[test]
    fn a_clear_loss_fails_and_a_gain_does_not() {
        let run = |rank: Option<usize>| -> Vec<Answer> {
            (0..40).map(|n| answer(&n.to_string(), "q", "x", if n < 20 { rank } else { Some(1) })).collect()
        };
        let said = compared(run(Some(1)), &run(None)).failure().unwrap();
        assert!(said.starts_with("ndcg_10 is 0.5000, and was 1.0000 in old (p = 0.000"), "{said}");
        assert_eq!(compared(run(None), &run(Some(1))).failure(), None);
        assert_eq!(compared(run(Some(1)), &run(Some(1))).failure(), None);
    }
}
