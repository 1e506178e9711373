//! Speed of kb_rag against hand-written SQL on the same data.
//!
//! usage: kb_rag_bench SOCKET DATABASE OUTPUT [smoke|large|pipeline|files|crawl|keyword|keyword-large|row-security|
//!        row-security-large|rivals|scale|shape]
//!
//! DATABASE must have the extension and no knowledge bases; those made here are dropped at the end. Writes
//! Markdown and SVG to the directory OUTPUT, and tables to standard output. Exits with 1 if an answer is
//! wrong; a missed speed target is only reported.

mod base;
mod bench;
mod contest;
mod corpus;
mod crawl;
mod explained;
mod files;
mod filtered;
mod hybrid;
mod ingest;
mod keyword;
mod oracle;
mod overhead;
mod pipeline;
mod plot;
mod queries;
mod random;
mod report;
mod rivals;
mod row_security;
mod scale;
mod server;
mod shape;
mod statistics;
mod workers;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use bench::{Bench, Extent};
use corpus::Corpus;
use report::Report;
use server::Server;

fn main() -> ExitCode {
    match run() {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            failures.iter().for_each(|failure| eprintln!("error: {failure}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Measures everything; returns the checks that failed.
fn run() -> Result<Vec<String>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [socket, database, output, rest @ ..] = &arguments[..] else {
        bail!(
            "usage: kb_rag_bench SOCKET DATABASE OUTPUT [smoke|large|pipeline|files|crawl|keyword|keyword-large|row-security|rivals|scale|shape]"
        );
    };
    let word = match rest {
        [] => "",
        [word] => word.as_str(),
        _ => bail!("expected one word, got {rest:?}"),
    };
    let (mut pipeline, mut keyword, mut secured, mut compared) = (None, None, None, None);
    let extent = match word {
        "" => Extent::full(false),
        "large" => Extent::full(true),
        "smoke" => {
            pipeline = Some(pipeline::Extent::smoke());
            keyword = Some(keyword::Extent::smoke());
            secured = Some(row_security::Extent::smoke());
            Extent::smoke()
        }
        "pipeline" => {
            pipeline = Some(pipeline::Extent::full());
            Extent::nothing()
        }
        "keyword" | "keyword-large" => {
            keyword = Some(keyword::Extent::full(word == "keyword-large"));
            Extent::nothing()
        }
        "files" => Extent { files: Extent::full(false).files, ..Extent::nothing() },
        "row-security" | "row-security-large" => {
            secured = Some(row_security::Extent::full(word == "row-security-large"));
            Extent::nothing()
        }
        "rivals" => {
            compared = Some(rivals::Extent::full());
            Extent::nothing()
        }
        "shape" => {
            let Extent { long_documents, few, .. } = Extent::full(false);
            Extent { long_documents, few, ..Extent::nothing() }
        }
        "scale" => Extent::scale(),
        "crawl" => Extent { pages: Extent::full(false).pages, ..Extent::nothing() },
        _ => bail!(
            "expected smoke, large, pipeline, files, crawl, keyword, keyword-large, row-security, row-security-large, rivals, scale or shape, got {word}"
        ),
    };
    let report = Report::new(PathBuf::from(output))?;
    let server = Server::connect(socket, database)?;
    let largest = [
        extent.sizes.last().copied().unwrap_or_default(),
        pipeline.as_ref().map_or(0, pipeline::Extent::passages),
        keyword.as_ref().map_or(0, keyword::Extent::passages),
        secured.as_ref().map_or(0, row_security::Extent::passages),
        compared.as_ref().map_or(0, rivals::Extent::passages),
        extent.long_documents * shape::PASSAGES,
    ];
    let corpus = Corpus::new(largest.into_iter().max().unwrap_or_default());
    report.progress("corpus made");
    let mut bench = Bench { server, corpus, bases: Vec::new(), report, extent };

    if let Some(extent) = pipeline {
        pipeline::measure(&mut bench, &extent).context("pipeline")?;
    }
    if bench.extent.files > 0 {
        files::measure(&mut bench).context("files")?;
    }
    if bench.extent.pages > 0 {
        crawl::measure(&mut bench).context("crawl")?;
    }
    if let Some(extent) = keyword {
        keyword::measure(&mut bench, &extent).context("keyword search")?;
    }
    if let Some(extent) = secured {
        row_security::measure(&mut bench, &extent).context("row security")?;
    }
    if let Some(extent) = compared {
        rivals::measure(&mut bench, &extent).context("rivals")?;
    }
    if bench.extent.long_documents > 0 {
        shape::measure(&mut bench).context("what rows show")?;
    }
    if bench.extent.sizes.is_empty() {
        return Ok(bench.report.failures().to_vec());
    }

    // No worker embeds what a load leaves to the queue: the vectors of the corpus take the place of the model's.
    workers::stop(&mut bench.server)?;
    if word == "scale" {
        load(&mut bench).context("loading")?;
        scale::measure(&mut bench).context("scale")?;
        return Ok(bench.report.failures().to_vec());
    }
    ingest::measure(&mut bench).context("ingest")?;
    load(&mut bench).context("loading")?;
    overhead::measure(&mut bench).context("match_knowledge_chunks")?;
    hybrid::measure(&mut bench).context("hybrid search")?;
    filtered::measure(&mut bench).context("filtered search")?;
    explained::measure(&mut bench).context("explained searches")?;
    scale::measure(&mut bench).context("scale")?;
    Ok(bench.report.failures().to_vec())
}

fn load(bench: &mut Bench) -> Result<()> {
    let Bench { server, corpus, bases, report, extent } = bench;
    for len in &extent.sizes {
        let mut base = base::load(server, corpus, *len, report)?;
        if extent.compared.contains(len) {
            base::load_wide(server, &mut base, report)?;
        }
        bases.push(base);
    }
    Ok(())
}
