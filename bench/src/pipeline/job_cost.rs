//! What a document that is left to the workers costs its writer: a row in the queue.

use std::time::Instant;

use anyhow::Result;

use crate::bench::Bench;
use crate::corpus::DIMENSIONS;
use crate::report::figure;
use crate::server::{Server, processor_time};
use crate::statistics::{median, quantile, range};
use crate::workers;

const PART: &str = "9-pipeline";
const WANTED: f64 = 6.0;
/// Microseconds of elapsed time and of processor time.
type Cost = [f64; 2];

/// INSERT of documents into a base that queues them and into one that makes no vectors, in turn.
pub fn measure(bench: &mut Bench, [documents, repeats]: [usize; 2]) -> Result<()> {
    let Bench { server, report, .. } = bench;
    // No worker takes the jobs in the meantime.
    workers::stop(server)?;
    for embed in ["off", "queued"] {
        server.run(&format!(
            "SELECT kb_drop(name) FROM kb_list() WHERE name = 'cost_{embed}';
             SELECT kb_create('cost_{embed}', model => 'fake/bench', dimensions => {DIMENSIONS}, chunk_strategy => 'none',
                 text_config => 'simple', index_method => 'none', embed => '{embed}')"
        ))?;
    }
    let texts: Vec<String> = (0..documents).map(|n| format!("a short document, number {n}")).collect();
    let insert = |server: &mut Server, embed: &str| -> Result<Cost> {
        let sql = format!("INSERT INTO kb_cost_{embed}.document (content) SELECT unnest($1::text[])");
        let statement = server.prepare(&sql)?;
        let cost = timed(server, |server| Ok(server.client.execute(&statement, &[&texts]).map(drop)?))?;
        // Every statement finds the tables in the same state.
        server.run(&format!("TRUNCATE kb_cost_{embed}.document CASCADE"))?;
        Ok(cost.map(|cost| cost / documents as f64))
    };
    let (mut differences, mut whole) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    let mut alone = [Vec::new(), Vec::new()];
    for round in 0..=repeats {
        // The order alternates.
        let (off, queued) = if round % 2 == 0 {
            let off = insert(server, "off")?;
            (off, insert(server, "queued")?)
        } else {
            let queued = insert(server, "queued")?;
            (insert(server, "off")?, queued)
        };
        server.run("TRUNCATE kb_rag.job")?;
        let rows = format!(
            "INSERT INTO kb_rag.job (knowledge_base_id, kind, target)
             SELECT k.id, 'embed', d.target
             FROM kb_rag.knowledge_base k, (SELECT kb_rag.uuid_v7() AS target FROM generate_series(1, {documents}) OFFSET 0) d
             WHERE k.name = 'cost_queued'"
        );
        let row = timed(server, |server| server.run(&rows))?.map(|cost| cost / documents as f64);
        server.run("TRUNCATE kb_rag.job")?;
        // The first round fills the caches.
        if round == 0 {
            continue;
        }
        for (n, ((off, queued), row)) in off.iter().zip(queued).zip(row).enumerate() {
            differences[n].push(queued - off);
            whole[n].push(*off);
            alone[n].push(row);
        }
    }
    let sums: Vec<Vec<f64>> = (0..2)
        .map(|n| whole[n].iter().zip(&differences[n]).map(|(off, more)| off + more).collect())
        .collect();
    let mut rows = Vec::new();
    for (n, what) in ["elapsed", "CPU"].into_iter().enumerate() {
        rows.push(vec![
            what.to_string(),
            range(&whole[n]),
            range(&differences[n]),
            figure(quantile(&sums[n], 0.1) - quantile(&whole[n], 0.1)),
            range(&alone[n]),
        ]);
    }
    report.progress(&format!("job row: {} µs per document", figure(median(&differences[1]))));
    report.target(
        "pipeline, cost of the queue row per document",
        &format!("at most {WANTED} µs"),
        &format!("{} µs elapsed, {} µs of CPU", range(&differences[0]), range(&differences[1])),
        median(&differences[1]) <= WANTED,
    )?;
    report.table(
        PART,
        "Pipeline, queue row",
        &format!(
            "INSERT of {documents} short documents, {repeats} pairs of statements in turn; µs per document, median (5th to \
             95th percentile), and the difference of the 10th percentiles, which other load on the machine affects least. The \
             last column: the rows of `kb_rag.job` inserted by hand, without documents."
        ),
        &["time", "embed off", "difference for embed queued", "difference of the fastest tenth", "queue rows alone"],
        &rows,
    )
}

/// The microseconds that a piece of work takes in the session.
fn timed(server: &mut Server, work: impl FnOnce(&mut Server) -> Result<()>) -> Result<Cost> {
    let session = [server.pid()?];
    let (began, used) = (Instant::now(), processor_time(&session)?);
    work(server)?;
    Ok([began.elapsed().as_secs_f64(), processor_time(&session)? - used].map(|seconds| seconds * 1e6))
}
