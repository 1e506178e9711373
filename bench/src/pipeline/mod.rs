//! The embedding pipeline against a provider that costs nothing: the throughput of the workers, how much of a
//! slow provider's time they use, what a queued document costs its writer, and what a refusal costs.

mod job_cost;
mod load;
mod mock;

use std::time::Duration;

use anyhow::Result;

use crate::bench::Bench;
use crate::report::figure;
use crate::statistics::{median, range};
use load::{Case, Run, Workers};
use mock::{Behavior, Limit, Mock};

const PART: &str = "9-pipeline";
/// Texts that a worker sends in one call.
const BATCH: usize = 128;
/// Vectors that the mock has: as many as there are chunks in a base with a vector index, because duplicates
/// would make the index cheaper.
const VECTORS: usize = 6_000;

/// Words per document where only the provider's time matters.
const SHORT: usize = 20;

/// How much is measured.
pub struct Extent {
    /// Documents in a base without and with a vector index.
    pub documents: [usize; 2],
    /// Batches for the slow provider, and for the one that refuses.
    pub batches: [usize; 2],
    /// Runs per case.
    pub repeats: usize,
    /// Documents per statement whose cost is compared, and the number of repetitions.
    pub queued: [usize; 2],
}

impl Extent {
    pub fn full() -> Extent {
        Extent { documents: [20_000, 5_000], batches: [100, 60], repeats: 3, queued: [1_000, 60] }
    }

    pub fn smoke() -> Extent {
        Extent { documents: [300, 300], batches: [4, 4], repeats: 1, queued: [100, 2] }
    }

    /// Passages needed from the corpus; further documents reuse them.
    pub fn passages(&self) -> usize {
        self.documents[0]
    }
}

pub fn measure(bench: &mut Bench, extent: &Extent) -> Result<()> {
    let corpus = &bench.corpus;
    let mock = Mock::start((0..VECTORS.min(corpus.len().max(1))).map(|n| corpus.vector(n)))?;
    bench.server.query("SELECT kb_provider_set('mock', 'openai', base_url => $1)", &[&mock.base_url()])?;
    throughput(bench, &mock, extent)?;
    slow(bench, &mock, extent)?;
    refused(bench, &mock, extent)?;
    job_cost::measure(bench, extent.queued)?;
    bench.server.run(
        "SELECT kb_drop(name) FROM kb_list() WHERE name IN ('pipeline', 'cost_off', 'cost_queued');
         SELECT kb_provider_drop('mock')",
    )
}

/// Runs a case several times.
fn repeat(bench: &mut Bench, mock: &Mock, case: &Case, repeats: usize) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    for _ in 0..repeats {
        let run = load::run(bench, mock, case)?;
        bench.report.check(
            &format!(
                "pipeline, {} of {} documents, {}: each chunk sent once and embedded",
                case.index,
                case.documents,
                case.workers.name()
            ),
            &format!(
                "{} chunks, {} sent, {} embedded, {} documents unfinished",
                run.chunks, run.tally.texts, run.embedded, run.unfinished
            ),
            run.is_complete(),
        )?;
        bench.report.progress(&format!(
            "{} chunks, index {}, {}: {:.2} s, {:.0} chunks/s, {:.0} CPU µs per chunk",
            run.chunks,
            case.index,
            case.workers.name(),
            run.seconds,
            run.rate(),
            run.processor_time()
        ));
        runs.push(run);
    }
    Ok(runs)
}

/// A provider that answers at once: the cost of the pipeline itself.
fn throughput(bench: &mut Bench, mock: &Mock, extent: &Extent) -> Result<()> {
    let [plain, indexed] = extent.documents;
    let behavior = Behavior::default();
    let case = |index, documents, passages, workers| Case {
        index,
        documents,
        passages,
        words: usize::MAX,
        workers,
        behavior,
    };
    let two = Workers::Background(2);
    let cases = [
        (case("none", plain, 1, two), Some(5_000.0)),
        (case("none", plain, 1, Workers::Session), None),
        (case("none", plain / 8, 8, two), None),
        (case("hnsw", indexed, 1, two), Some(600.0)),
        (case("hnsw", indexed, 1, Workers::Session), None),
    ];
    let mut rows = Vec::new();
    for (case, wanted) in &cases {
        let runs = repeat(bench, mock, case, extent.repeats)?;
        let rates: Vec<f64> = runs.iter().map(Run::rate).collect();
        if let Some(wanted) = wanted {
            bench.report.target(
                &format!("pipeline, provider that answers at once, index {}", case.index),
                &format!("at least {wanted} chunks/s"),
                &figure(median(&rates)),
                median(&rates) >= *wanted,
            )?;
        }
        let chunks = runs.first().map_or(0, |run| run.chunks);
        rows.push(vec![
            case.index.to_string(),
            case.documents.to_string(),
            chunks.to_string(),
            case.workers.name(),
            figure(median(&rates)),
            figure(rates.iter().copied().fold(0.0, f64::max)),
            figure(median(&runs.iter().map(Run::processor_time).collect::<Vec<_>>())),
        ]);
    }
    bench.report.table(
        PART,
        "Pipeline, provider that answers at once",
        &format!(
            "Chunks of about 150 words, {} dimensions, batches of {BATCH}; {} runs each. The provider is a mock on loopback \
             with prepared answers; it, the workers and the server share the cores. The last column: processor time of the workers, or \
             of the session; on a shared machine it says more than elapsed time.",
            crate::corpus::DIMENSIONS, extent.repeats
        ),
        &["index", "documents", "chunks", "workers", "chunks/s", "best run", "CPU µs per chunk"],
        &rows,
    )
}

/// A provider that takes 200 ms per call, and four workers.
fn slow(bench: &mut Bench, mock: &Mock, extent: &Extent) -> Result<()> {
    const LATENCY: Duration = Duration::from_millis(200);
    const WORKERS: u16 = 4;
    let [batches, _] = extent.batches;
    let case = Case {
        index: "none",
        documents: batches * BATCH,
        passages: 1,
        words: SHORT,
        workers: Workers::Background(WORKERS),
        behavior: Behavior { latency: LATENCY, limit: None },
    };
    let runs = repeat(bench, mock, &case, extent.repeats)?;
    let ideal = LATENCY.as_secs_f64() * batches as f64 / f64::from(WORKERS);
    let shares: Vec<f64> = runs.iter().map(|run| 100.0 * ideal / run.seconds).collect();
    bench.report.target(
        "pipeline, provider that takes 200 ms, 4 workers: share of the ideal",
        "at least 90 %",
        &format!("{} %", range(&shares)),
        median(&shares) >= 90.0,
    )?;
    let rows: Vec<Vec<String>> = runs
        .iter()
        .zip(&shares)
        .map(|(run, share)| {
            vec![
                run.tally.calls.to_string(),
                figure(ideal),
                figure(run.seconds),
                format!("{} %", figure(*share)),
                figure(span(run)),
            ]
        })
        .collect();
    bench.report.table(
        PART,
        "Pipeline, provider that takes 200 ms, 4 workers",
        "Ideal: each worker always waits for an answer, from start to end. The time starts when the \
         first worker may be started; the last column is the time from the first request to the last answer.",
        &["calls", "ideal, s", "took, s", "share of the ideal", "at the provider, s"],
        &rows,
    )
}

/// From the first request to the last answer.
fn span(run: &Run) -> f64 {
    match (run.tally.first, run.tally.last) {
        (Some(first), Some(last)) => (last - first).as_secs_f64(),
        _ => f64::NAN,
    }
}

/// A provider that answers 429 with Retry-After in the middle of a run, and refuses for that time.
fn refused(bench: &mut Bench, mock: &Mock, extent: &Extent) -> Result<()> {
    const LATENCY: Duration = Duration::from_millis(50);
    let [_, batches] = extent.batches;
    let case = |limit| Case {
        index: "none",
        documents: batches * BATCH,
        passages: 1,
        words: SHORT,
        workers: Workers::Background(4),
        behavior: Behavior { latency: LATENCY, limit },
    };
    let mut rows = Vec::new();
    for seconds in if extent.repeats > 1 { vec![2, 5] } else { vec![1] } {
        let mut ratios = Vec::new();
        for _ in 0..extent.repeats {
            let [plain] = repeat(bench, mock, &case(None), 1)?[..] else { continue };
            let limit = Limit { after_calls: batches / 3, seconds };
            let [run] = repeat(bench, mock, &case(Some(limit)), 1)?[..] else { continue };
            let ideal = plain.seconds + seconds as f64;
            ratios.push(run.seconds / ideal);
            rows.push(vec![
                seconds.to_string(),
                figure(plain.seconds),
                figure(ideal),
                figure(run.seconds),
                figure(run.seconds / ideal),
                run.tally.refused.to_string(),
            ]);
        }
        bench.report.target(
            &format!("pipeline, 429 with Retry-After: {seconds}: time against the ideal"),
            "at most 1.2 times",
            &range(&ratios),
            median(&ratios) <= 1.2,
        )?;
    }
    bench.report.table(
        PART,
        "Pipeline, 429 with Retry-After after a third of the calls",
        "4 workers, 50 ms per call. Ideal: the time of the previous run, without refusals, plus the seconds of Retry-After.",
        &["Retry-After, s", "without, s", "ideal, s", "took, s", "ratio", "calls refused"],
        &rows,
    )
}
