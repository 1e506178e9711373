//! INSERT of single documents, with the keyword index and, in turn, without.

use std::time::Instant;

use anyhow::Result;

use super::PART;
use super::load::Loaded;
use crate::bench::Bench;
use crate::report::figure;
use crate::statistics::{median, milliseconds, quantile, range};

/// A writer looks for segments to merge once in so many segments. The slowest of so many writes after which there are
/// fewer segments is the one that merged.
const CHECKED_EVERY: usize = 32;
/// At most so many milliseconds more, and for a write that merges.
const MAX_EXTRA_MILLISECONDS: f64 = 0.2;
const MAX_EXTRA_MILLISECONDS_MERGING: f64 = 10.0;

/// Milliseconds of the writes, by the base: with a keyword index, and without.
#[derive(Default)]
pub struct Writes {
    with: Vec<f64>,
    without: Vec<f64>,
    /// Those that merged segments.
    merging: Vec<f64>,
    /// How many documents were added.
    written: usize,
}

impl Writes {
    /// Adds `count` documents to the base, and to the other one where there is one.
    pub fn run(&mut self, bench: &mut Bench, loaded: &Loaded, count: usize) -> Result<()> {
        let Bench { server, corpus, .. } = bench;
        let mut statements = Vec::new();
        for base in [Some(&loaded.base), loaded.bare.as_ref()].into_iter().flatten() {
            let schema = &base.schema;
            statements.push(
                server.prepare(&format!(
                    "INSERT INTO {schema}.document (source_key, content) VALUES ($1, $2)"
                ))?,
            );
        }
        // The first one after the passages that were loaded; the later ones may be any, with keys of their own.
        let first = corpus.len().min(loaded.base.len);
        for group in 0..count.div_ceil(CHECKED_EVERY) {
            let segments = loaded.base.segments(server)?;
            let group = group * CHECKED_EVERY..count.min((group + 1) * CHECKED_EVERY);
            let from = self.with.len();
            for n in group {
                let (key, text) =
                    ((loaded.base.len + n).to_string(), corpus.text((first + n) % corpus.len()));
                for (at, statement) in statements.iter().enumerate() {
                    let began = Instant::now();
                    server.client.execute(statement, &[&key, &text])?;
                    let times = if at == 0 { &mut self.with } else { &mut self.without };
                    times.push(milliseconds(began.elapsed()));
                }
            }
            if loaded.base.segments(server)? < segments {
                self.merging.extend(self.with[from..].iter().copied().max_by(f64::total_cmp));
            }
        }
        self.written += count;
        Ok(())
    }

    /// Prints the times.
    pub fn report(&self, bench: &mut Bench, loaded: &Loaded) -> Result<()> {
        let report = &bench.report;
        let row = |what: &str, times: &[f64]| {
            vec![
                what.to_string(),
                times.len().to_string(),
                figure(median(times)),
                figure(quantile(times, 0.99)),
                figure(quantile(times, 1.0)),
            ]
        };
        let size = loaded.base.len;
        report.table(
            PART,
            "Single-row writes",
            &format!(
                "INSERT of {} documents, one by one, each a transaction of its own, into two bases of {size} chunks in turn, \
                 while no worker runs. Where 256 segments wait to be merged, the writer merges them.",
                self.written
            ),
            &["base", "writes", "median ms", "p99 ms", "slowest ms"],
            &[
                row("with the keyword index", &self.with),
                row("of these, writes that merge", &self.merging),
                row("without", &self.without),
            ],
        )?;
        let more: Vec<f64> = self.with.iter().zip(&self.without).map(|(a, b)| a - b).collect();
        report.target(
            &format!("single-row INSERT, {size} chunks: more than without a keyword index"),
            &format!("at most {MAX_EXTRA_MILLISECONDS} ms"),
            &format!("{} ms", range(&more)),
            median(&more) <= MAX_EXTRA_MILLISECONDS,
        )?;
        if self.merging.is_empty() {
            return Ok(());
        }
        let slow = quantile(&self.merging, 0.99);
        report.target(
            &format!("single-row INSERT, {size} chunks: p99 of those that merge"),
            &format!("at most {MAX_EXTRA_MILLISECONDS_MERGING} ms"),
            &format!("{} ms, {} writes", figure(slow), self.merging.len()),
            slow <= MAX_EXTRA_MILLISECONDS_MERGING,
        )
    }
}
