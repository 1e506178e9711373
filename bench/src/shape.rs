//! The cost of what rows show: neighbors, snippets, and copies merged, over documents of about 100 kB.

use anyhow::Result;

use crate::bench::Bench;
use crate::contest::{self, Contender, Takes};
use crate::corpus::Corpus;
use crate::queries::{Stratum, stratified};
use crate::report::figure;
use crate::server::Server;
use crate::statistics::{median, range};

const PART: &str = "5-shape";
const COUNT: i64 = 10;
/// Passages of a document: about 100 kB.
pub const PASSAGES: usize = 110;

/// The arguments that are measured, after a search without any.
const ARGUMENTS: [(&str, &str); 6] = [
    ("kb_search", ""),
    ("neighbors => 1", ", neighbors => 1"),
    ("neighbors => 3", ", neighbors => 3"),
    ("duplicates => 'merge'", ", duplicates => 'merge'"),
    ("snippet => true", ", snippet => true"),
    ("max_per_document => 1, neighbors => 1", ", max_per_document => 1, neighbors => 1"),
];

pub fn measure(bench: &mut Bench) -> Result<()> {
    let Bench { server, corpus, report, extent, .. } = bench;
    let documents = extent.long_documents;
    load(server, corpus, documents)?;
    let contenders: Vec<Contender> = ARGUMENTS
        .iter()
        .map(|(name, arguments)| Contender {
            name,
            takes: Takes::TextAndVector,
            setting: None,
            sql: format!(
                "SELECT chunk_id, content FROM kb_search($1, 'shape', 'keyword', $3{arguments}) \
                 WHERE $2::vector IS NOT NULL"
            ),
        })
        .collect();
    let queries = stratified(corpus, documents * PASSAGES, extent.few);
    let records = contest::run(server, &contenders, &queries, COUNT, extent.explained)?;
    server.run("SELECT kb_drop('shape')")?;

    let all = Stratum::ALL;
    let plain = records[0].times(&all);
    let mut rows = Vec::new();
    for record in &records {
        let times = record.times(&all);
        let more: Vec<f64> = times.iter().zip(&plain).map(|(time, plain)| time - plain).collect();
        rows.push(vec![
            record.name.to_string(),
            figure(median(&times)),
            range(&more),
            figure(record.touched(&all).buffers),
            figure(record.mean_found(&all)),
        ]);
        if record.name == "neighbors => 1" {
            report.target(
                "neighbors, ten hits in documents of 100 kB",
                "at most 0.3 ms more",
                &format!("{:+.2} ms", median(&more)),
                median(&more) <= 0.3,
            )?;
        }
    }
    report.table(
        PART,
        "What rows show",
        &format!(
            "{documents} documents of about 100 kB, {} queries by keyword, 10 results. More: time less that of kb_search for the same \
             query, ms, median (5th to 95th percentile).",
            queries.len()
        ),
        &["argument", "median ms", "more", "buffers", "found"],
        &rows,
    )?;
    report.progress("what rows show");
    Ok(())
}

fn load(server: &mut Server, corpus: &Corpus, documents: usize) -> Result<()> {
    server.run("SELECT kb_create('shape', model => 'fake/test', dimensions => 8, embed => 'off')")?;
    for document in 0..documents {
        let passages = document * PASSAGES..(document + 1) * PASSAGES;
        let content = passages.map(|n| corpus.text(n)).collect::<Vec<_>>().join("\n\n");
        server.query("INSERT INTO kb_shape.document (content) VALUES ($1) RETURNING id", &[&content])?;
    }
    // What a worker would do before long: one segment for all.
    server.run("SELECT kb_reindex('shape')")?;
    server.run("VACUUM ANALYZE kb_shape.chunk")
}
