//! A search and what the old one asked of its index for the same question, timed in turn.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::before::Before;
use crate::server::Server;
use crate::statistics::milliseconds;

/// How often each is timed, after one execution that is not: as between statements (`contest`).
const ROUNDS: usize = 2;
/// An execution this slow is timed once more or, above the second, not again: its time does not depend on the caches.
const SLOW: Duration = Duration::from_millis(100);
const VERY_SLOW: Duration = Duration::from_secs(1);
/// The old index is left out after this time: between ANALYZE and VACUUM a condition may take seconds.
const PATIENCE: Duration = Duration::from_secs(90);

/// A question, and what the old search asked its index for.
pub struct Question {
    pub text: String,
    pub conditions: Vec<String>,
}

/// The times of one question, in milliseconds, each the faster of the rounds.
pub struct Outcome {
    pub ours: f64,
    /// None where it was left out.
    pub before: Option<f64>,
    /// How many chunks the conditions gave.
    pub rows: i64,
    /// The scores that our search gave, best first.
    pub scores: Vec<f64>,
}

/// Asks all questions of a search with the parameter $1, and of the old index.
pub fn run(
    server: &mut Server,
    sql: &str,
    before: &mut Before,
    questions: &[Question],
) -> Result<Vec<Outcome>> {
    let statement = server.prepare(sql)?;
    let began = Instant::now();
    let mut outcomes = Vec::with_capacity(questions.len());
    for Question { text, conditions } in questions {
        let (rows, _) = server.time(&statement, &[text])?;
        let scores = rows.iter().map(|row| Ok(row.try_get("score")?)).collect::<Result<_>>()?;
        let first = if began.elapsed() < PATIENCE { Some(before.run(conditions)?) } else { None };
        let rounds = match first {
            Some((_, took)) if took <= SLOW => ROUNDS,
            Some((_, took)) if took <= VERY_SLOW => 1,
            _ => 0,
        };
        let mut ours = Duration::MAX;
        let mut theirs = first.filter(|_| rounds == 0).map(|(_, took)| took);
        for round in 0..ROUNDS {
            ours = ours.min(server.time(&statement, &[text])?.1);
            if round < rounds {
                let (_, took) = before.run(conditions)?;
                theirs = Some(theirs.map_or(took, |least| least.min(took)));
            }
        }
        outcomes.push(Outcome {
            ours: milliseconds(ours),
            before: theirs.map(milliseconds),
            rows: first.map_or(0, |(rows, _)| rows),
            scores,
        });
    }
    Ok(outcomes)
}
