//! Loading by COPY in steps, with the keyword index and, in turn, without.

use std::time::{Duration, Instant};

use anyhow::Result;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::Type;

use super::{Base, Extent, PART};
use crate::bench::Bench;
use crate::plot::{self, Series};
use crate::report::{Report, figure};
use crate::server::Server;
use crate::statistics::{median, range, ratios};

/// The size for which there are bars.
const JUDGED: usize = 200_000;

/// One COPY into a base.
#[derive(Clone, Copy, Default)]
struct Step {
    time: Duration,
    wal: i64,
    chunks: usize,
}

impl Step {
    fn rate(&self) -> f64 {
        self.chunks as f64 / self.time.as_secs_f64()
    }

    fn wal_per_chunk(&self) -> f64 {
        self.wal as f64 / self.chunks as f64
    }
}

/// All steps as one.
fn total(steps: &[Step]) -> Step {
    steps.iter().fold(Step::default(), |sum, step| Step {
        time: sum.time + step.time,
        wal: sum.wal + step.wal,
        chunks: sum.chunks + step.chunks,
    })
}

/// What was loaded.
pub struct Loaded {
    pub base: Base,
    /// The base without a keyword index.
    pub bare: Option<Base>,
    /// Bytes of WAL for the keyword index of a chunk, where there is such a base.
    wal: Option<f64>,
}

/// Loads the first `len` passages; also into a base without a keyword index where that is wanted.
pub fn measure(bench: &mut Bench, extent: &Extent, len: usize) -> Result<Loaded> {
    let Bench { server, corpus, report, .. } = bench;
    let mut base = Base::create(server, &format!("keyword_{len}"), "simple")?;
    let mut bare = if len == extent.paired { Some(bare(server, len)?) } else { None };
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (number, start) in (0..len).step_by(extent.step).enumerate() {
        let end = len.min(start + extent.step);
        let texts: Vec<(String, String)> = (start..end).map(|n| (n.to_string(), corpus.text(n))).collect();
        // They take turns at being the first.
        if number % 2 == 0 {
            with.push(copy(server, &base, &texts)?);
        }
        if let Some(bare) = &bare {
            without.push(copy(server, bare, &texts)?);
        }
        if number % 2 == 1 {
            with.push(copy(server, &base, &texts)?);
        }
    }
    base.len = len;
    let rate = total(&with).rate();
    report.progress(&format!("{}: {len} chunks loaded, {} per second", base.name, figure(rate)));
    let mut wal = None;
    if let Some(bare) = &mut bare {
        bare.len = len;
        tabulate(report, &with, &without)?;
        wal = Some(total(&with).wal_per_chunk() - total(&without).wal_per_chunk());
    }
    Ok(Loaded { base, bare, wal })
}

/// Bytes of the keyword index for each chunk, on disk and in WAL: a row of the table of sizes.
pub fn sizes(server: &mut Server, loaded: &Loaded) -> Result<Vec<String>> {
    Ok(vec![
        loaded.base.len.to_string(),
        figure(loaded.base.bytes(server)? as f64 / loaded.base.len as f64),
        loaded.wal.map_or(String::new(), figure),
    ])
}

/// Prints the rows of all bases.
pub fn tabulate_sizes(report: &Report, rows: &[Vec<String>]) -> Result<()> {
    report.table(
        PART,
        "Size and WAL of the keyword index",
        "Bytes per chunk: on disk after VACUUM, the two tables with their indexes and the index on the chunks' numbers; WAL, the \
         difference between loading with and without them, before any merge.",
        &["chunks", "on disk", "WAL"],
        rows,
    )
}

/// An empty base that keeps no keyword index.
fn bare(server: &mut Server, len: usize) -> Result<Base> {
    let base = Base::create(server, &format!("bare_{len}"), "simple")?;
    // The foreign key is checked in both.
    server.run(&format!(
        "ALTER TABLE {s}.chunk DISABLE TRIGGER USER; DROP INDEX {s}.chunk_keyword_number",
        s = base.schema
    ))?;
    Ok(base)
}

fn copy(server: &mut Server, base: &Base, texts: &[(String, String)]) -> Result<Step> {
    let wal = server.wal()?;
    let began = Instant::now();
    let sql = format!("COPY {}.document (source_key, content) FROM STDIN BINARY", base.schema);
    let mut writer = BinaryCopyInWriter::new(server.client.copy_in(&sql)?, &[Type::TEXT, Type::TEXT]);
    for (key, text) in texts {
        writer.write(&[key, text])?;
    }
    writer.finish()?;
    let time = began.elapsed();
    Ok(Step { time, wal: server.wal()? - wal, chunks: texts.len() })
}

fn tabulate(report: &Report, with: &[Step], without: &[Step]) -> Result<()> {
    let (all, all_without) = (total(with), total(without));
    let row = |chunks: String, with: &Step, without: &Step| {
        vec![
            chunks,
            figure(with.rate()),
            figure(without.rate()),
            figure(with.rate() / without.rate()),
            figure(with.wal_per_chunk()),
            figure(without.wal_per_chunk()),
        ]
    };
    let mut rows = Vec::new();
    let mut curves = [Series::new("with the keyword index"), Series::new("without")];
    let mut chunks = 0;
    let last = with.len().saturating_sub(1);
    for (at, (step, bare)) in with.iter().zip(without).enumerate() {
        chunks += step.chunks;
        curves[0].points.push((chunks as f64, step.rate()));
        curves[1].points.push((chunks as f64, bare.rate()));
        if [0, last / 4, last / 2, last * 3 / 4, last].contains(&at) {
            rows.push(row(chunks.to_string(), step, bare));
        }
    }
    rows.push(row("all".to_string(), &all, &all_without));
    report.table(
        PART,
        "Loading",
        &format!(
            "COPY of {} documents at a time, one chunk each, with `embed => 'off'`, into two bases in turn; the other has no \
             triggers on `chunk` and no index on its number. The rows are single steps, by the chunks that are there after \
             them. Segments are not merged.",
            with.first().map_or(0, |step| step.chunks)
        ),
        &["chunks", "chunks/s", "without keyword index", "share", "WAL bytes per chunk", "without"],
        &rows,
    )?;
    plot::lines(&report.directory.join("keyword-load.svg"), "Loading", "chunks", "chunks/s", &curves)?;
    if all.chunks != JUDGED {
        return Ok(());
    }
    report.target(
        &format!("loading {JUDGED} chunks without vectors"),
        "at least 3000 chunks/s",
        &figure(all.rate()),
        all.rate() >= 3_000.0,
    )?;
    let rates = |steps: &[Step]| steps.iter().map(Step::rate).collect::<Vec<_>>();
    let shares = ratios(&rates(with), &rates(without));
    let share = all.rate() / all_without.rate();
    report.target(
        &format!("loading {JUDGED} chunks: rate against that without a keyword index"),
        "at least 0.85",
        &format!("{}; steps {}", figure(share), range(&shares)),
        share >= 0.85,
    )?;
    let part = with.len().div_ceil(5);
    let (first, end) = (rates(&with[..part]), rates(&with[with.len() - part..]));
    let flat = median(&end) / median(&first);
    report.target(
        &format!("loading {JUDGED} chunks: rate of the last fifth against the first"),
        "at least 0.9",
        &figure(flat),
        flat >= 0.9,
    )
}
