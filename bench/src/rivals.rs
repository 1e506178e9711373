//! Keyword search beside other extensions and PostgreSQL alone, on the same texts: loading, single rows, size, and the ten best with
//! their texts or by their ids alone.

mod tables;

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::bench::Bench;
use crate::queries::{Stratum, stratified};
use crate::report::figure;
use crate::statistics::{median, milliseconds, quantile, range, ratios};
use crate::workers;
use tables::{Rival, rivals};

const PART: &str = "3-rivals";
/// How often each query is timed, after one execution that is not.
const ROUNDS: usize = 2;
/// Rows of one COPY.
const STEP: usize = 10_000;

/// How much is measured.
pub struct Extent {
    /// The sizes of the tables, in chunks.
    pub sizes: Vec<usize>,
    /// Queries per stratum.
    pub each: usize,
    /// Single rows that are inserted.
    pub inserts: usize,
}

impl Extent {
    pub fn full() -> Extent {
        Extent { sizes: vec![20_000, 200_000], each: 35, inserts: 1_000 }
    }

    /// Passages needed from the corpus.
    pub fn passages(&self) -> usize {
        self.sizes.iter().max().map_or(0, |size| size + self.inserts)
    }
}

pub fn measure(bench: &mut Bench, extent: &Extent) -> Result<()> {
    let mut rows = Vec::new();
    for &size in &extent.sizes {
        let rivals = rivals(size);
        for rival in &rivals {
            bench.server.run(&rival.create)?;
        }
        rows.extend(load(bench, &rivals, size, extent.inserts)?);
        // Each as it is when nothing is left to do.
        workers::stop(&mut bench.server)?;
        for rival in &rivals {
            bench.server.run(&rival.settle)?;
        }
        search(bench, &rivals, size, extent.each)?;
        for rival in &rivals {
            bench.server.run(&rival.drop)?;
        }
    }
    bench.report.table(
        PART,
        "Loading and writing",
        &format!(
            "COPY of {STEP} rows at a time into each in turn, with its index in place; then {} single-row INSERTs in turn, each a \
             transaction of its own. Bytes of the index after VACUUM.",
            extent.inserts
        ),
        &["chunks", "what", "chunks/s", "INSERT, median ms", "p99 ms", "index, bytes a chunk"],
        &rows,
    )
}

/// Fills the tables. Returns rows of the table.
fn load(bench: &mut Bench, rivals: &[Rival], size: usize, inserts: usize) -> Result<Vec<Vec<String>>> {
    let Bench { server, corpus, report, .. } = bench;
    let mut times = vec![Duration::ZERO; rivals.len()];
    for start in (0..size).step_by(STEP) {
        let texts: Vec<String> = (start..size.min(start + STEP)).map(|n| corpus.text(n)).collect();
        for (rival, time) in rivals.iter().zip(&mut times) {
            *time += rival.copy(server, &texts)?;
        }
    }
    let statements = rivals.iter().map(|rival| server.prepare(&rival.insert)).collect::<Result<Vec<_>>>()?;
    let mut single = vec![Vec::new(); rivals.len()];
    for n in 0..inserts {
        let text = corpus.text((size + n) % corpus.len());
        for (statement, single) in statements.iter().zip(&mut single) {
            let began = Instant::now();
            server.client.execute(statement, &[&text])?;
            single.push(milliseconds(began.elapsed()));
        }
    }
    let mut rows = Vec::new();
    for ((rival, time), single) in rivals.iter().zip(times).zip(single) {
        server.run(&rival.settle)?;
        let bytes = server.number(&rival.bytes, &[])? as f64 / (size + inserts) as f64;
        rows.push(vec![
            size.to_string(),
            rival.name.to_string(),
            figure(size as f64 / time.as_secs_f64()),
            figure(median(&single)),
            figure(quantile(&single, 0.99)),
            figure(bytes),
        ]);
    }
    report.progress(&format!("{size} chunks loaded into {} rivals", rivals.len()));
    Ok(rows)
}

/// Asks all of them in turn for the ten best, with their texts and by id alone.
fn search(bench: &mut Bench, rivals: &[Rival], size: usize, each: usize) -> Result<()> {
    let Bench { server, corpus, report, .. } = bench;
    let queries = stratified(corpus, size, each);
    let mut rows = Vec::new();
    for (kind, statement) in [("with texts", Rival::texts as fn(&Rival) -> &str), ("ids alone", Rival::ids)] {
        let statements =
            rivals.iter().map(|rival| server.prepare(statement(rival))).collect::<Result<Vec<_>>>()?;
        let mut times = vec![Vec::new(); rivals.len()];
        for query in &queries {
            let mut least = vec![Duration::MAX; rivals.len()];
            for round in 0..=ROUNDS {
                for (at, prepared) in statements.iter().enumerate() {
                    let question = rivals[at].question(&query.text);
                    let (_, time) = server.time(prepared, &[&question])?;
                    if round > 0 {
                        least[at] = least[at].min(time);
                    }
                }
            }
            times.iter_mut().zip(least).for_each(|(times, least)| times.push(milliseconds(least)));
        }
        for stratum in Stratum::ALL {
            let of = |times: &[f64]| -> Vec<f64> {
                queries
                    .iter()
                    .zip(times)
                    .filter(|(query, _)| query.stratum == stratum)
                    .map(|(_, time)| *time)
                    .collect()
            };
            let own = of(&times[0]);
            for (rival, times) in rivals.iter().zip(&times) {
                let times = of(times);
                rows.push(vec![
                    kind.to_string(),
                    stratum.name().to_string(),
                    rival.name.to_string(),
                    figure(median(&times)),
                    figure(quantile(&times, 0.95)),
                    range(&ratios(&times, &own)),
                ]);
            }
        }
    }
    report.table(
        PART,
        &format!("The ten best of {size} chunks"),
        &format!("{each} queries per stratum, in turn; the faster of {ROUNDS} rounds. The last column is the time divided by that of kb_rag."),
        &["rows", "words", "what", "median ms", "p95 ms", "times kb_rag"],
        &rows,
    )
}
