//! Writing: chunks per second, WAL, and the cost of writing the same documents again.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::corpus::DIMENSIONS;
use crate::report::figure;
use crate::server::Server;

const PART: &str = "5-ingest";
/// Documents per statement.
const BATCH: usize = 100;
const LOCAL: &str = "local/all-minilm-l6-v2";
const FAKE: &str = "fake/bench";

pub fn measure(bench: &mut Bench) -> Result<()> {
    let [fake, local] = bench.extent.ingested;
    let made_up: Vec<String> = (0..fake.min(bench.corpus.len())).map(|n| bench.corpus.text(n)).collect();
    let english = english(local)?;
    let mut rows = Vec::new();
    for (model, index, texts) in
        [(FAKE, "none", &made_up), (FAKE, "hnsw", &made_up), (LOCAL, "hnsw", &english)]
    {
        let words: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
        let [seconds, wal] = write(&mut bench.server, model, index, texts)?;
        let chunks = texts.len() as f64;
        rows.push(vec![
            model.to_string(),
            index.to_string(),
            texts.len().to_string(),
            figure(words as f64 / chunks),
            figure(chunks / seconds),
            figure(wal / chunks),
        ]);
        bench.report.progress(&format!("{} chunks written with {model}, index {index}", texts.len()));
        if index == "hnsw" {
            again(bench, model, texts)?;
        }
    }
    bench.server.run("SELECT kb_drop('ingest')")?;
    bench.report.table(
        PART,
        "Ingest",
        &format!(
            "INSERT of {BATCH} documents per statement, one chunk each: text, lexemes, vector and all indexes. The fake \
             model hashes words and gets generated text; the local model gets English text."
        ),
        &["model", "index", "chunks", "words per chunk", "chunks/s", "WAL bytes per chunk"],
        &rows,
    )
}

/// English passages of about 150 words, each made of several short documents of the judged set in the tests.
pub fn english(count: usize) -> Result<Vec<String>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/quality/corpus.jsonl");
    let lines = std::fs::read_to_string(file).with_context(|| file.to_string())?;
    let mut documents = Vec::new();
    for line in lines.lines() {
        let document: serde_json::Value = serde_json::from_str(line)?;
        documents.push(document["text"].as_str().unwrap_or_default().to_string());
    }
    let passage = |n: usize| {
        let mut text = String::new();
        for document in documents.iter().cycle().skip(n * 7 % documents.len()) {
            text.push_str(document);
            text.push(' ');
            if text.split_whitespace().count() >= 150 {
                break;
            }
        }
        // No two texts are equal.
        format!("{text}{n}")
    };
    Ok((0..count).map(passage).collect())
}

/// Writes the texts into a new base; returns seconds and bytes of WAL.
fn write(server: &mut Server, model: &str, index: &str, texts: &[String]) -> Result<[f64; 2]> {
    server.run(&format!(
        "SELECT kb_drop(name) FROM kb_list() WHERE name = 'ingest';
         SELECT kb_create('ingest', model => '{model}', dimensions => {DIMENSIONS}, chunk_strategy => 'none',
             text_config => 'english', index_method => '{index}')"
    ))?;
    // Opens the model first, so that its start is not counted.
    server.query("SELECT kb_embed('warm', $1)", &[&model])?;
    let insert = server.prepare(
        "INSERT INTO kb_ingest.document (source_key, content)
         SELECT ($1 + n)::text, content FROM unnest($2::text[]) WITH ORDINALITY AS t (content, n)",
    )?;
    let wal_before = server.wal()?;
    let began = Instant::now();
    for (batch, texts) in texts.chunks(BATCH).enumerate() {
        server.client.execute(&insert, &[&((batch * BATCH) as i64), &texts])?;
    }
    let seconds = began.elapsed().as_secs_f64();
    Ok([seconds, (server.wal()? - wal_before) as f64])
}

/// Adds the same documents again, by kb_add and by UPDATE: nothing may be embedded, and no vector may change.
fn again(bench: &mut Bench, model: &str, texts: &[String]) -> Result<()> {
    let Bench { server, report, .. } = bench;
    let before = written(server)?;
    let add = server.prepare("SELECT kb_add('ingest', $1, source_key => $2)")?;
    let began = Instant::now();
    for (n, text) in texts.iter().take(BATCH).enumerate() {
        server.client.execute(&add, &[text, &(n + 1).to_string()])?;
    }
    let added = began.elapsed().as_secs_f64() * 1e3 / texts.len().min(BATCH) as f64;
    server.run("UPDATE kb_ingest.document SET content = content, title = title")?;
    let after = written(server)?;
    let documents = server.number("SELECT count(*) FROM kb_ingest.document", &[])?;
    report.check(
        &format!("{model}: unchanged documents added again, and updated: nothing embedded, no dead vector"),
        &format!(
            "{} vectors written, {} dead; {} documents; {} ms per document by kb_add",
            after[0] + after[1] + after[2] - before[0] - before[1] - before[2],
            after[3],
            documents,
            figure(added)
        ),
        after == before && after[3] == 0 && documents == texts.len() as i64,
    )
}

fn written(server: &mut Server) -> Result<[i64; 4]> {
    server.run("SELECT pg_stat_force_next_flush()")?;
    let row =
        server.client.query_one(&include_str!("../sql/written.sql").replace("{schema}", "kb_ingest"), &[])?;
    Ok([row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?])
}
