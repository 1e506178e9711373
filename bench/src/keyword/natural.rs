//! Questions in plain language: the claims of SciFact over its abstracts, repeated.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::Type;
use serde_json::Value;

use super::search::{self, State};
use super::{Base, Extent, PART};
use crate::bench::Bench;
use crate::report::figure;
use crate::server::Server;
use crate::statistics::{median, quantile};

/// The judged set, beside the checkout.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/evaldata/scifact")
}

pub fn measure(bench: &mut Bench, extent: &Extent) -> Result<()> {
    let Bench { server, report, .. } = bench;
    if !directory().is_dir() {
        report.progress("SKIPPED: questions in plain language, for SciFact is not beside the checkout (../shared/evaldata)");
        return Ok(());
    }
    let documents = read("corpus.jsonl")?;
    let mut claims: Vec<String> = read("queries.jsonl")?.into_iter().map(|claim| claim.text).collect();
    claims.truncate(extent.questions);
    let mut base = Base::create(server, "keyword_natural", "english")?;
    load(server, &base, &documents, extent)?;
    base.len = extent.natural;
    let mut words = 0;
    for claim in &claims {
        words += count_lexemes(server, claim)?;
    }
    report.progress(&format!("{} abstracts of SciFact loaded", base.len));
    let mut rows = Vec::new();
    for state in [State::Loaded, State::Analyzed, State::Vacuumed] {
        state.enter(server, &base)?;
        let outcomes = search::ask(server, &base.search(), claims.iter().map(String::as_str))?;
        let times: Vec<f64> = outcomes.iter().map(|outcome| outcome.milliseconds).collect();
        rows.push(vec![state.name().to_string(), figure(median(&times)), figure(quantile(&times, 0.95))]);
        report.progress(&format!("questions in plain language, {}", state.name()));
    }
    report.table(
        PART,
        "Questions in plain language",
        &format!(
            "The {} claims of SciFact, {:.1} words each that count, over its abstracts, repeated to {} chunks, with \
             `text_config => 'english'`.",
            claims.len(),
            words as f64 / claims.len().max(1) as f64,
            base.len
        ),
        &["state", "median ms", "p95 ms"],
        &rows,
    )?;
    base.drop(server)
}

/// A document or a query of a judged set.
struct Entry {
    title: String,
    text: String,
}

fn read(file: &str) -> Result<Vec<Entry>> {
    let path = directory().join(file);
    let lines = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let entry = |line: &str| -> Result<Entry> {
        let value: Value = serde_json::from_str(line).with_context(|| path.display().to_string())?;
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_string();
        Ok(Entry { title: text("title"), text: text("text") })
    };
    lines.lines().filter(|line| !line.trim().is_empty()).map(entry).collect()
}

fn load(server: &mut Server, base: &Base, documents: &[Entry], extent: &Extent) -> Result<()> {
    let copy = format!("COPY {}.document (source_key, title, content) FROM STDIN BINARY", base.schema);
    let mut all = (0..extent.natural).zip(documents.iter().cycle()).peekable();
    while all.peek().is_some() {
        let mut writer =
            BinaryCopyInWriter::new(server.client.copy_in(&copy)?, &[Type::TEXT, Type::TEXT, Type::TEXT]);
        for (n, document) in all.by_ref().take(extent.step) {
            writer.write(&[&n.to_string(), &document.title, &document.text])?;
        }
        writer.finish()?;
    }
    Ok(())
}

/// How many lexemes a question has.
fn count_lexemes(server: &mut Server, question: &str) -> Result<i64> {
    server.number("SELECT length(to_tsvector('english', $1))::int8", &[&question])
}
