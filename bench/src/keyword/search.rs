//! Searches of the strata, in every state that a table is in after loading.

use anyhow::Result;

use super::duel::{self, Outcome, Question};
use super::{Base, Extent, PART};
use crate::base::chunks;
use crate::before::{self, Before, Texts};
use crate::bench::Bench;
use crate::oracle::Bm25;
use crate::queries::{Query, Stratum, stratified};
use crate::report::{Report, figure};
use crate::server::Server;
use crate::statistics::{mean, median, milliseconds, quantile, range, ratios};

const COUNT: usize = 10;
/// The tolerance of scores against the oracle's.
const TOLERANCE: f64 = 1e-6;
/// A word that no passage has, and how often it is searched for to know what a search costs besides.
const NOWHERE: &str = "xyzzyx";
const SEARCHES: usize = 50;
/// The most milliseconds of a median, by size of the base.
const BARS: [(usize, Stratum, f64); 6] = [
    (200_000, Stratum::Rare, 1.5),
    (200_000, Stratum::Medium, 1.5),
    (200_000, Stratum::Mixed, 1.5),
    (200_000, Stratum::Common, 4.0),
    (200_000, Stratum::Long, 6.0),
    (1_000_000, Stratum::Long, 25.0),
];
/// In a base of this size nothing may be slower than before.
const SMALLEST: usize = 1_000;

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
    pub fn enter(self, server: &mut Server, base: &Base, before: &Before) -> Result<()> {
        match self {
            State::Loaded | State::Unmerged => Ok(()),
            State::Analyzed => base.maintain(server, "ANALYZE", before),
            State::Vacuumed => base.maintain(server, "VACUUM", before),
        }
    }
}

/// Measures a base in one state, and compares its answers with BM25 over every chunk. Returns rows of the table.
pub fn measure(
    bench: &mut Bench,
    extent: &Extent,
    base: &Base,
    before: &mut Before,
    state: State,
) -> Result<Vec<Vec<String>>> {
    let Bench { server, corpus, report, .. } = bench;
    state.enter(server, base, before)?;
    // The same queries in every state.
    let size = base.len - if state == State::Unmerged { extent.small } else { 0 };
    let mut queries = stratified(corpus, size, extent.each);
    if state != State::Vacuumed {
        // The strata take turns.
        queries.truncate(extent.few * Stratum::ALL.len());
    }
    let texts = Texts::of_corpus(corpus, base.len, &queries);
    let lexemes = |query: &Query| -> Vec<String> {
        query.words.iter().map(|word| corpus.word(*word).to_string()).collect()
    };
    let questions: Vec<Question> = queries
        .iter()
        .map(|query| Question {
            text: query.text.clone(),
            conditions: before::conditions(&texts, &lexemes(query)),
        })
        .collect();
    let outcomes = duel::run(server, &base.search(), before, &questions)?;
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

    let of = |stratum: Stratum| {
        let pairs = queries.iter().zip(&outcomes).zip(&questions);
        let of_stratum = pairs.filter(move |((query, _), _)| query.stratum == stratum);
        of_stratum.map(|((_, outcome), question)| (outcome, question)).collect::<Vec<_>>()
    };
    let nowhere = nowhere(server, base)?;
    let segments = base.segments(server)?;
    let mut rows = Vec::new();
    for stratum in Stratum::ALL {
        let pairs = of(stratum);
        let times = Times::new(pairs.iter().map(|(outcome, _)| *outcome));
        judge(report, size, state, stratum, &times, nowhere)?;
        let conditions: Vec<f64> = pairs.iter().map(|(_, q)| q.conditions.len() as f64).collect();
        rows.push(vec![
            size.to_string(),
            state.name().to_string(),
            segments.to_string(),
            stratum.name().to_string(),
            figure(median(&times.ours)),
            figure(quantile(&times.ours, 0.95)),
            figure(median(&times.before)),
            figure(quantile(&times.before, 0.95)),
            range(&ratios(&times.before, &times.beside)),
            figure(mean(&conditions)),
            figure(median(&times.rows)),
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

/// The times of some questions.
pub struct Times {
    pub ours: Vec<f64>,
    /// Where the old index was asked: its times, ours for the same questions, and the chunks it gave.
    pub before: Vec<f64>,
    pub beside: Vec<f64>,
    pub rows: Vec<f64>,
}

impl Times {
    pub fn new<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Times {
        let mut times = Times { ours: Vec::new(), before: Vec::new(), beside: Vec::new(), rows: Vec::new() };
        for outcome in outcomes {
            times.ours.push(outcome.ours);
            if let Some(before) = outcome.before {
                times.before.push(before);
                times.beside.push(outcome.ours);
                times.rows.push(outcome.rows as f64);
            }
        }
        times
    }
}

/// The milliseconds of a search that finds nothing.
fn nowhere(server: &mut Server, base: &Base) -> Result<f64> {
    let statement = server.prepare(&base.search())?;
    let mut times = Vec::new();
    for _ in 0..SEARCHES {
        times.push(milliseconds(server.time(&statement, &[&NOWHERE])?.1));
    }
    Ok(median(&times))
}

fn judge(
    report: &Report,
    size: usize,
    state: State,
    stratum: Stratum,
    times: &Times,
    nowhere: f64,
) -> Result<()> {
    let what = format!("keyword search, {size} chunks, {}, {} words", state.name(), stratum.name());
    if let Some((_, _, most)) = BARS.iter().find(|(len, of, _)| (*len, *of) == (size, stratum)) {
        let (middle, slow) = (median(&times.ours), quantile(&times.ours, 0.95));
        report.target(
            &format!("{what}: median and p95"),
            &format!("at most {most} and {} ms", 2.0 * most),
            &format!("{} and {} ms", figure(middle), figure(slow)),
            middle <= *most && slow <= 2.0 * most,
        )?;
    }
    if size == SMALLEST && state == State::Vacuumed {
        // The old index is asked without what a search costs besides.
        let net: Vec<f64> = times.beside.iter().map(|time| time - nowhere).collect();
        let ratio = ratios(&net, &times.before);
        report.target(
            &format!(
                "{what}: time besides that of a search for nothing ({} ms), against the old index",
                figure(nowhere)
            ),
            "at most 1",
            &range(&ratio),
            median(&ratio) <= 1.0,
        )?;
    }
    Ok(())
}

/// Prints the rows of all bases and states.
pub fn tabulate(report: &Report, extent: &Extent, rows: &[Vec<String>]) -> Result<()> {
    report.table(
        PART,
        "Keyword search",
        &format!(
            "{} queries per stratum after VACUUM, {} otherwise, 10 results. Before: the conditions that the search of version \
             0.2 asked of its GIN index for the same queries, in the same state, reduced to `SELECT count(*), sum(length)`. \
             That is a lower bound of its time: it also counted the rare words, read the lexemes of every row, scored it, and \
             fetched the results; in states where it takes seconds, only the first queries are asked. Ratio: time of that over ours for the same query, median (5th to 95th percentile); above 1, \
             the search of today is faster. The last two columns: how many conditions, mean, and how many chunks \
             they gave, median. In the last state {} documents were added one by one.",
            extent.each, extent.few, extent.small
        ),
        &[
            "chunks", "state", "segments", "words", "median ms", "p95 ms", "before: median ms", "p95 ms", "ratio",
            "conditions", "chunks of them",
        ],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_that_both_answered_are_compared() {
        let outcome = |ours, before| Outcome { ours, before, rows: 7, scores: Vec::new() };
        let times = Times::new([outcome(1.0, Some(3.0)), outcome(2.0, None)].iter());
        assert_eq!(times.ours, [1.0, 2.0]);
        assert_eq!((times.before, times.beside, times.rows), (vec![3.0], vec![1.0], vec![7.0]));
    }
}
