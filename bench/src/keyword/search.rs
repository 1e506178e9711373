//! Searches of the strata, in every state that a table is in after loading.

use std::time::Duration;

use anyhow::Result;

use super::{Base, Extent, PART};
use crate::base::chunks;
use crate::bench::Bench;
use crate::oracle::Bm25;
use crate::queries::{Query, Stratum, stratified};
use crate::report::{Report, figure};
use crate::server::Server;
use crate::statistics::{median, milliseconds, quantile};

const COUNT: usize = 10;
/// The tolerance of scores against the oracle's.
const TOLERANCE: f64 = 1e-6;
/// How often each query is timed, after one execution that is not.
const ROUNDS: usize = 2;
/// The most milliseconds of a median, by size of the base.
const BARS: [(usize, Stratum, f64); 6] = [
    (200_000, Stratum::Rare, 1.5),
    (200_000, Stratum::Medium, 1.5),
    (200_000, Stratum::Mixed, 1.5),
    (200_000, Stratum::Common, 4.0),
    (200_000, Stratum::Long, 6.0),
    (1_000_000, Stratum::Long, 25.0),
];

/// What has happened to the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Loaded,
    Analyzed,
    Vacuumed,
    /// After VACUUM, and with small segments that no worker has merged.
    Unmerged,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Loaded => "loaded",
            State::Analyzed => "after ANALYZE",
            State::Vacuumed => "after VACUUM",
            State::Unmerged => "small segments",
        }
    }

    /// Brings the tables into this state, from the one before it.
    pub fn enter(self, server: &mut Server, base: &Base) -> Result<()> {
        match self {
            State::Loaded | State::Unmerged => Ok(()),
            State::Analyzed => base.maintain(server, "ANALYZE"),
            State::Vacuumed => base.maintain(server, "VACUUM"),
        }
    }
}

/// The time of a query and the scores of its results.
pub struct Outcome {
    /// Of the faster round.
    pub milliseconds: f64,
    /// Best first.
    scores: Vec<f64>,
}

/// Asks all questions of a search with the parameter $1.
pub fn ask<'a>(
    server: &mut Server,
    sql: &str,
    questions: impl Iterator<Item = &'a str>,
) -> Result<Vec<Outcome>> {
    let statement = server.prepare(sql)?;
    let mut outcomes = Vec::new();
    for question in questions {
        let (rows, _) = server.time(&statement, &[&question])?;
        let scores = rows.iter().map(|row| Ok(row.try_get("score")?)).collect::<Result<_>>()?;
        let mut least = Duration::MAX;
        for _ in 0..ROUNDS {
            least = least.min(server.time(&statement, &[&question])?.1);
        }
        outcomes.push(Outcome { milliseconds: milliseconds(least), scores });
    }
    Ok(outcomes)
}

/// Measures a base in one state, and compares its answers with BM25 over every chunk. Returns rows of the table.
pub fn measure(bench: &mut Bench, extent: &Extent, base: &Base, state: State) -> Result<Vec<Vec<String>>> {
    let Bench { server, corpus, report, .. } = bench;
    state.enter(server, base)?;
    // The same queries in every state.
    let size = base.len - if state == State::Unmerged { extent.small } else { 0 };
    let mut queries = stratified(corpus, size, extent.each);
    if state != State::Vacuumed {
        // The strata take turns.
        queries.truncate(extent.few * Stratum::ALL.len());
    }
    let outcomes = ask(server, &base.search(), queries.iter().map(|query| query.text.as_str()))?;
    let what = format!("keyword search, {size} chunks, {}", state.name());
    let chunks = chunks(server, &base.schema)?;
    let oracle = Bm25::new(corpus, &chunks);
    let same =
        queries.iter().zip(&outcomes).filter(|(query, outcome)| is_best(&oracle, query, outcome)).count();
    report.check(
        &format!("{what}: the top {COUNT} of BM25 over every chunk"),
        &format!("{same} of {} queries", queries.len()),
        same == queries.len(),
    )?;

    let segments = base.segments(server)?;
    let mut rows = Vec::new();
    for stratum in Stratum::ALL {
        let of_stratum = queries.iter().zip(&outcomes).filter(|(query, _)| query.stratum == stratum);
        let times: Vec<f64> = of_stratum.map(|(_, outcome)| outcome.milliseconds).collect();
        judge(report, size, state, stratum, &times)?;
        rows.push(vec![
            size.to_string(),
            state.name().to_string(),
            segments.to_string(),
            stratum.name().to_string(),
            figure(median(&times)),
            figure(quantile(&times, 0.95)),
        ]);
    }
    report.progress(&format!("{what}: {} queries", queries.len()));
    Ok(rows)
}

/// Whether the scores are those of the best chunks, rank by rank: chunks may differ where their scores are equal.
fn is_best(oracle: &Bm25, query: &Query, outcome: &Outcome) -> bool {
    let wanted = oracle.best(&query.words, COUNT);
    outcome.scores.len() == wanted.len()
        && outcome.scores.iter().zip(&wanted).all(|(score, (_, best))| (score - best).abs() <= TOLERANCE)
}

fn judge(report: &Report, size: usize, state: State, stratum: Stratum, times: &[f64]) -> Result<()> {
    let Some((_, _, max)) = BARS.iter().find(|(len, of, _)| (*len, *of) == (size, stratum)) else {
        return Ok(());
    };
    let (middle, slow) = (median(times), quantile(times, 0.95));
    report.target(
        &format!("keyword search, {size} chunks, {}, {} words: median and p95", state.name(), stratum.name()),
        &format!("at most {max} and {} ms", 2.0 * max),
        &format!("{} and {} ms", figure(middle), figure(slow)),
        middle <= *max && slow <= 2.0 * max,
    )
}

/// Prints the rows of all bases and states.
pub fn tabulate(report: &Report, extent: &Extent, rows: &[Vec<String>]) -> Result<()> {
    report.table(
        PART,
        "Keyword search",
        &format!(
            "{} queries per stratum after VACUUM, {} otherwise, 10 results. In the last state {} documents were added one by \
             one.",
            extent.each, extent.few, extent.small
        ),
        &["chunks", "state", "segments", "words", "median ms", "p95 ms"],
        rows,
    )
}
